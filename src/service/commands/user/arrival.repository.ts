import { type EntityManager, In } from 'typeorm';
import type { Filter } from '../../../engine/filter/filter.js';
import { storedFilter } from '../../../engine/filter/stored-filter.js';
import { arrivedHealth, type Seen } from '../../../engine/health/health-states.js';
import { settingsPair } from '../../../engine/webhook/webhook-settings.js';
import { UserMoves } from '../../../move/user-move.repository.js';
import type { Settings } from '../../../platform/config/settings.js';
import { isDuplicate } from '../../../platform/database-error.js';
import { failpoint } from '../../../platform/failpoint.js';
import { parseExactly } from '../../../platform/json/exact-json.js';
import type { Vault } from '../../../platform/secret/vault.js';
import type { Database } from '../../../store/database.js';
import { ApiKeyEntity } from '../../../store/tables/access/api-key.entity.js';
import type { UserMoveEntity } from '../../../store/tables/access/user-move.entity.js';
import { EventEntity } from '../../../store/tables/webhook/event.entity.js';
import { WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { WebhookRepository } from '../../../webhook/webhook.repository.js';
import type { MovedUser, MovedWebhook } from './moved-user.js';
import { Refusal } from './refusal.js';

/** Conflicts that a refusal names; it counts the others. */
const MAX_NAMED = 5;

/** A user's way into this cell: all of it in one transaction, or nothing. */
export class Arrival {
  private readonly moves: UserMoves;
  private readonly webhooks: WebhookRepository;

  constructor(
    private readonly database: Database,
    private readonly vault: Vault,
    private readonly settings: Settings,
  ) {
    this.moves = new UserMoves(database);
    this.webhooks = new WebhookRepository(database);
  }

  /** @returns false if this move has arrived already; then nothing is changed. */
  async import(user: MovedUser): Promise<boolean> {
    const isNew = await this.database
      .transaction(async (manager) => {
        const before = await this.moves.findLocked(manager, user.userId);
        if (this.hasArrived(before, user)) return false;
        await this.check(manager, user);
        const now = Date.now();
        for (const webhook of user.webhooks) await this.insert(manager, user.userId, webhook, now);
        const keys = user.apiKeys.map((key) => ({ ...key, userId: user.userId }));
        for (const part of partsOf(keys)) await manager.insert(ApiKeyEntity, part);
        failpoint('move-inserted');
        const step = { state: 'here', arrival: user.receipt, departure: null } as const;
        await this.moves.step(manager, before, { ...step, userId: user.userId, now });
        return true;
      })
      .catch(refuseDuplicate);
    failpoint('move-imported');
    return isNew;
  }

  private hasArrived(before: UserMoveEntity | null, { userId, receipt }: MovedUser): boolean {
    const state = before?.state ?? 'here';
    if (before?.departure === receipt && state !== 'here')
      throw new Refusal(
        `This is the cell that the user ${JSON.stringify(userId)} ${state === 'gone' ? 'has left' : 'is leaving'} with this very file. ` +
          'Import it in the other cell: see whether DATABASE_URL is right.' +
          (state === 'gone' ? ' To bring the user back, export it there.' : ''),
      );
    if (before?.arrival === receipt && state !== 'gone') return true;
    if (before?.arrival === receipt)
      throw new Refusal(`The user ${JSON.stringify(userId)} arrived with this file, and has moved on since.`);
    if (state === 'here' || state === 'gone') return false;
    throw new Refusal(
      `The user ${JSON.stringify(userId)} is leaving this cell: end that with user:export and --finish, or --cancel.`,
    );
  }

  /** @throws Refusal naming what is in the way. */
  private async check(manager: EntityManager, { userId, webhooks, apiKeys }: MovedUser): Promise<void> {
    const ids = webhooks.map(({ id }) => id);
    const eventIds = webhooks.flatMap(({ events }) => events.map(({ id }) => id));
    const uids = webhooks.flatMap(({ uid }) => uid ?? []);
    const [byId, byUid, events, keys, count] = [
      await inParts(ids, (part) =>
        manager.find(WebhookEntity, { select: { id: true, userId: true }, where: { id: In(part) } }),
      ),
      await inParts(uids, (part) =>
        manager.find(WebhookEntity, { select: { id: true, uid: true }, where: { userId, uid: In(part) } }),
      ),
      await inParts(eventIds, (part) =>
        manager.find(EventEntity, { select: { id: true }, where: { id: In(part) } }),
      ),
      await inParts(apiKeys, (part) =>
        manager.find(ApiKeyEntity, {
          select: { id: true, userId: true },
          where: [{ id: In(part.map(({ id }) => id)) }, { hash: In(part.map(({ hash }) => hash)) }],
        }),
      ),
      await this.webhooks.count(manager, userId),
    ];
    const known = new Set(byId.map(({ id }) => id));
    const inTheWay = [
      ...byId.map((one) => `webhook ${one.id} is here already, ${ownedBy(one.userId, userId)}`),
      ...byUid
        .filter(({ id }) => !known.has(id))
        .map(({ id, uid }) => `webhook ${id} has the uid ${JSON.stringify(uid)}`),
      ...(byId.length > 0 ? [] : events.map(({ id }) => `event ${id} is here already`)),
      ...keys.map((one) => `API key ${one.id} is here already, ${ownedBy(one.userId, userId)}`),
    ];
    const { webhooksPerUser: limit } = this.settings;
    const total = count + webhooks.length;
    if (total > limit)
      inTheWay.push(`the user would have ${total} webhooks, and WEBHOOKS_PER_USER is ${limit} here`);
    if (inTheWay.length > 0) throw conflict(inTheWay);
  }

  private async insert(
    manager: EntityManager,
    userId: string,
    { events, opened, ...plain }: MovedWebhook,
    now: number,
  ): Promise<void> {
    const sealed = Object.fromEntries(
      Object.entries(opened).map(([column, text]) => [
        column,
        text === null ? null : this.vault.seal(text, plain.id),
      ]),
    ) as typeof opened;
    const row: WebhookEntity = { ...plain, ...sealed, userId, ...this.seen(plain, now) };
    const moved = events.map(({ filter, ...event }) => ({
      ...event,
      ...storedFilter(filter === null ? null : (parseExactly(filter) as Filter)),
      webhookId: row.id,
      userId,
    }));
    await this.webhooks.insert(manager, { row, events: moved });
  }

  private seen(webhook: Pick<MovedWebhook, 'id' | 'disabledReason' | 'settings'>, now: number): Seen {
    return arrivedHealth(
      webhook.disabledReason,
      settingsPair(webhook, this.settings.delivery).effectiveSettings,
      now,
    );
  }
}

/** What fits into one statement: SQLite takes 32,766 values. */
const PART = 1000;

const partsOf = <T>(list: T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / PART) }, (_, n) => list.slice(n * PART, (n + 1) * PART));

async function inParts<T, Found>(list: T[], find: (part: T[]) => Promise<Found[]>): Promise<Found[]> {
  const found: Found[] = [];
  for (const part of partsOf(list)) found.push(...(await find(part)));
  return found;
}

const ownedBy = (owner: string, userId: string) =>
  owner === userId ? 'of the same user' : 'of another user';

function conflict(inTheWay: string[]): Refusal {
  const named = inTheWay.slice(0, MAX_NAMED).map((one) => `  ${one}`);
  const more = inTheWay.length > MAX_NAMED ? [`  and ${inTheWay.length - MAX_NAMED} more`] : [];
  return new Refusal(['Nothing was imported:', ...named, ...more].join('\n'));
}

/** Somebody else has made the same meanwhile. */
function refuseDuplicate(error: unknown): never {
  throw isDuplicate(error)
    ? conflict(['something of it has just been made here; see what, and run it again'])
    : error;
}
