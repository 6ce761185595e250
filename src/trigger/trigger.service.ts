import { Injectable } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import { notFound } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import { timeOf } from '../rest/input.js';
import { parseBody } from '../rest/validation.js';
import { type Attempt, attemptOf } from './attempt/attempt.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import {
  type AttemptQuery,
  attemptListInput,
  retryManyBody,
  type TriggerQuery,
  triggerListInput,
} from './dto/trigger-query.js';
import { type RetriedTriggers, TriggerRetry } from './retry/trigger-retry.service.js';
import type { Trigger, TriggerDetail } from './trigger.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerViews } from './trigger-views.js';

/** What happened to each firing of a webhook. */
@Injectable()
export class TriggerService {
  private readonly cursors: Cursors;

  constructor(
    private readonly triggers: TriggerRepository,
    private readonly exchanges: ExchangeRepository,
    private readonly shown: TriggerViews,
    private readonly retries: TriggerRetry,
    private readonly vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'trigger');
  }

  /** A trigger with its newest attempts and all bodies. @throws Problem 404 */
  find(owner: Owner, id: string): Promise<TriggerDetail> {
    return this.shown.find(owner, id);
  }

  /**
   * Newest first. With data, a page ends after 1 MiB of it, however few triggers it holds.
   *
   * @throws Problem 400 naming every bad field; 400 `invalid_cursor`
   */
  async list(owner: Owner, query: TriggerQuery = {}): Promise<Page<Trigger>> {
    const { limit, cursor, include, ...given } = parseBody(triggerListInput, query);
    const filter = { ...given, since: timeOf(given.since), until: timeOf(given.until) };
    const withData = include === 'data';
    const found = await this.triggers.list(owner, filter, { limit, after: this.cursors.read(cursor) });
    const fitting = withData ? await this.exchanges.fitting(found.rows) : found.rows.length;
    const rows = found.rows.slice(0, fitting);
    const next = fitting < found.rows.length ? (rows.at(-1)?.id ?? null) : found.next;
    return { data: await this.shown.of(rows, withData), nextCursor: next && this.cursors.write(next) };
  }

  /** All attempts of a trigger, newest first. A page ends after 1 MiB. @throws Problem 400, 404 */
  async attempts(owner: Owner, query: AttemptQuery): Promise<Page<Attempt>> {
    const { triggerId, limit, cursor } = parseBody(attemptListInput, query);
    await this.checkOwned(owner, triggerId);
    const cursors = new Cursors(this.vault, `attempt of ${triggerId}`);
    const after = cursors.read(cursor);
    const before = after === null ? undefined : numberAt(after);
    const { attempts, isLast } = await this.exchanges.attempts(triggerId, limit, before);
    const last = attempts.at(-1);
    const nextCursor = isLast || !last ? null : cursors.write(placeOf(last.number));
    return { data: attempts.map(attemptOf), nextCursor };
  }

  /** Makes the trigger due now, on a fresh schedule. @throws Problem 404, 409 `trigger_delivering`, 409 `payload_gone` */
  async retry(owner: Owner, id: string): Promise<TriggerDetail> {
    await this.retries.one(owner, id);
    return this.find(owner, id);
  }

  /**
   * Makes up to 100 triggers due now, each on a fresh schedule, and says which it left out. An id given twice counts once.
   *
   * @throws Problem 400
   */
  async retryMany(owner: Owner, ids: string[]): Promise<RetriedTriggers> {
    return this.retries.many(owner, parseBody(retryManyBody, { ids }).ids);
  }

  private async checkOwned(owner: Owner, id: string): Promise<void> {
    if (!(await this.triggers.find(owner, id))) throw notFound('trigger');
  }
}

/** An attempt's place in a list, written as an id, because cursors are made of ids. */
const placeOf = (number: number) => `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`;

const numberAt = (place: string) => Number.parseInt(place.replaceAll('-', ''), 16);
