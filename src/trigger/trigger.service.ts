import { Injectable } from '@nestjs/common';
import { notFound, Problem } from '../common/problem.js';
import { Vault } from '../common/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { Owner } from '../rest/principal.js';
import type { AttemptEntity } from './attempt/attempt.entity.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import type { ShownRequest } from './attempt/request-head.js';
import { QueueSignals } from './queue-signals.js';
import { QueueTime } from './queue-time.js';
import type { TriggerEntity } from './trigger.entity.js';
import { TriggerRepository } from './trigger.repository.js';
import type { TriggerFilter } from './trigger-search.repository.js';

/** How many attempts are shown with a trigger. */
const SHOWN_ATTEMPTS = 20;

/** A trigger with its last attempt and the bytes that it sends. `body` is null unless asked for. */
export interface TriggerView {
  trigger: TriggerEntity;
  lastAttempt: AttemptEntity | null;
  /** The URL and headers of the last attempt's request, credentials masked. */
  request: ShownRequest | null;
  body: Buffer | null;
  /** The newest 20, oldest first. */
  attempts?: AttemptEntity[];
}

/** What happened to each firing of a webhook. */
@Injectable()
export class TriggerService {
  private readonly cursors: Cursors;

  constructor(
    private readonly triggers: TriggerRepository,
    private readonly exchanges: ExchangeRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    private readonly vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'trigger');
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<TriggerView> {
    const trigger = await this.owned(owner, id);
    const [bodies, { attempts }] = await Promise.all([
      this.exchanges.bodies([trigger.notificationId]),
      this.exchanges.attempts(id, SHOWN_ATTEMPTS),
    ]);
    const body = bodies.get(trigger.notificationId) ?? null;
    const lastAttempt = attempts[0] ?? null;
    const request = await this.requestOf(lastAttempt);
    return { trigger, lastAttempt, request, body, attempts: attempts.reverse() };
  }

  /** With data, a page ends after 1 MiB of it, however few triggers it holds. */
  async list(
    owner: Owner,
    query: TriggerFilter & { limit: number; cursor?: string | undefined; withData?: boolean },
  ): Promise<Page<TriggerView>> {
    const { limit, cursor, withData = false, ...filter } = query;
    const found = await this.triggers.list(owner, filter, { limit, after: this.cursors.read(cursor) });
    const fitting = withData ? await this.exchanges.fitting(found.rows) : found.rows.length;
    const rows = found.rows.slice(0, fitting);
    const next = fitting < found.rows.length ? (rows.at(-1)?.id ?? null) : found.next;
    const [lastAttempts, bodies] = await Promise.all([
      this.exchanges.lastAttempts(rows, withData),
      withData ? this.exchanges.bodies(rows.map((row) => row.notificationId)) : null,
    ]);
    const requests = await this.triggers.requests([...lastAttempts.values()]);
    const data = rows.map((trigger) => {
      const lastAttempt = lastAttempts.get(trigger.id) ?? null;
      return {
        trigger,
        lastAttempt,
        request: lastAttempt && (requests.get(lastAttempt) ?? null),
        body: bodies?.get(trigger.notificationId) ?? null,
      };
    });
    return { data, nextCursor: next && this.cursors.write(next) };
  }

  /** All attempts of a trigger, newest first. A page ends after 1 MiB. @throws Problem 404 */
  async attempts(
    owner: Owner,
    triggerId: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<Page<AttemptEntity>> {
    await this.owned(owner, triggerId);
    const cursors = new Cursors(this.vault, `attempt of ${triggerId}`);
    const after = cursors.read(cursor);
    const before = after === null ? undefined : numberAt(after);
    const { attempts, isLast } = await this.exchanges.attempts(triggerId, limit, before);
    const last = attempts.at(-1);
    return { data: attempts, nextCursor: isLast || !last ? null : cursors.write(placeOf(last.number)) };
  }

  /** Makes the trigger due now, on a fresh schedule. @throws Problem 404, 409 `trigger_delivering` */
  async retry(owner: Owner, id: string): Promise<TriggerView> {
    await this.owned(owner, id);
    if (!(await this.triggers.makeDue(owner, id, this.time.now()))) {
      throw new Problem(
        409,
        'trigger_delivering',
        'An attempt of this trigger is under way; wait for its end.',
      );
    }
    this.signals.emit('urgent');
    return this.find(owner, id);
  }

  private async owned(owner: Owner, id: string): Promise<TriggerEntity> {
    const trigger = await this.triggers.find(owner, id);
    if (!trigger) throw notFound('trigger');
    return trigger;
  }

  private async requestOf(attempt: AttemptEntity | null): Promise<ShownRequest | null> {
    if (!attempt) return null;
    return (await this.triggers.requests([attempt])).get(attempt) ?? null;
  }
}

/** An attempt's place in a list, written as an id, because cursors are made of ids. */
const placeOf = (number: number) => `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`;

const numberAt = (place: string) => Number.parseInt(place.replaceAll('-', ''), 16);
