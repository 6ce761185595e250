import { type EntityManager, IsNull, Not } from 'typeorm';
import type { WebhookRow } from '../../../engine/webhook/webhook-row.js';
import { UserMoves } from '../../../move/user-move.repository.js';
import { failpoint } from '../../../platform/failpoint.js';
import { newId } from '../../../platform/ids/ids.js';
import type { Database } from '../../../store/database.js';
import { indexHint } from '../../../store/index-hint.js';
import { idList } from '../../../store/json-rows.js';
import { ApiKeyEntity, isOfUser } from '../../../store/tables/access/api-key.entity.js';
import type { UserMoveEntity } from '../../../store/tables/access/user-move.entity.js';
import { NotificationEntity } from '../../../store/tables/trigger/notification.entity.js';
import { EventEntity } from '../../../store/tables/webhook/event.entity.js';
import { WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { WebhookRepository } from '../../../webhook/webhook.repository.js';
import { Refusal } from './refusal.js';

/** What this cell still has to deliver for a user. */
export interface Left {
  triggers: number;
  /** Recoveries that run, and will make more triggers due. */
  recoveries: number;
  /** Failures that the user's webhooks are still to be told of. */
  notices: number;
}

/** The rows of a user that move. */
export interface UserRows {
  receipt: string;
  webhooks: WebhookRow[];
  apiKeys: ApiKeyEntity[];
}

/**
 * A user's way out of this cell.
 *
 *   here ──export──► leaving ──finish──► closing ──nothing left──► gone
 *    ▲                  │                   │
 *    └──────────────────┴──────cancel───────┘
 */
export class Departure {
  private readonly moves: UserMoves;
  private readonly webhooks: WebhookRepository;

  constructor(
    private readonly database: Database,
    private readonly userId: string,
  ) {
    this.moves = new UserMoves(database);
    this.webhooks = new WebhookRepository(database);
  }

  /**
   * Freezes the user and reads all that moves, in one transaction. Repeated, it reads the same again.
   *
   * @param use of the rows; if it throws, nothing is frozen.
   */
  async freeze<T>(use: (rows: UserRows) => T): Promise<T> {
    const used = await this.database.transaction(async (manager) => {
      const before = await this.moves.findLocked(manager, this.userId);
      if (before?.state === 'gone') throw this.gone();
      if (before?.state === 'closing')
        throw this.refusal('is about to be removed here. Run --finish again, or --cancel first');
      const repeated = before?.state === 'leaving' ? before.departure : null;
      const receipt = repeated ?? newId();
      const rows = await this.rows(manager, receipt);
      if (rows.webhooks.length + rows.apiKeys.length === 0)
        throw this.refusal('has no webhook and no API key here');
      const result = use(rows);
      if (repeated === null) await this.step(manager, before, { state: 'leaving', departure: receipt });
      return result;
    });
    failpoint('move-frozen');
    return used;
  }

  /** @returns null if the user is not moving, and has not left. */
  move(): Promise<UserMoveEntity | null> {
    return this.moves.find(this.userId);
  }

  left(): Promise<Left> {
    return this.database.run((manager) => this.countLeft(manager));
  }

  /** When the last notification was accepted here, in epoch milliseconds; null if none is kept. */
  async lastReport(): Promise<number | null> {
    const last = await this.database.run((manager) =>
      manager.findOne(NotificationEntity, {
        select: { id: true, triggeredAt: true },
        where: { userId: this.userId },
        order: { id: 'DESC' },
      }),
    );
    return last?.triggeredAt ?? null;
  }

  /** How many webhooks are disabled, and get what they missed once they answer again. */
  probed(): Promise<number> {
    return this.database.run((manager) =>
      manager.countBy(WebhookEntity, { userId: this.userId, probeAt: Not(IsNull()) }),
    );
  }

  /**
   * Has reports refused from now on, if nothing is left to deliver.
   *
   * @returns what is left; null if nothing is; `gone` if the user has left already.
   */
  async close(receipt: string): Promise<Left | 'gone' | null> {
    const left = await this.database.transaction(async (manager) => {
      const before = await this.leaving(manager, receipt);
      if (before.state === 'gone') return 'gone' as const;
      const found = await this.countLeft(manager);
      if (!isDone(found)) return found;
      if (before.state === 'leaving') await this.step(manager, before, { state: 'closing' });
      return null;
    });
    failpoint('move-closed');
    return left;
  }

  /** Removes the user's webhooks and API keys, if nothing came in meanwhile. @returns what did; null if nothing. */
  async remove(receipt: string): Promise<Left | null> {
    const left = await this.database.transaction(async (manager) => {
      const before = await this.leaving(manager, receipt);
      if (before.state !== 'closing')
        throw this.refusal('was changed by another command meanwhile; run it again');
      const { webhooks, apiKeys } = await this.rows(manager, receipt);
      const found = await this.countLeft(manager);
      if (!isDone(found)) return found;
      for (const { row } of webhooks) await this.webhooks.delete(manager, row.id);
      for (const { id } of apiKeys) await manager.delete(ApiKeyEntity, { id });
      await this.step(manager, before, { state: 'gone' });
      failpoint('move-removed');
      return null;
    });
    failpoint('move-finished');
    return left;
  }

  /** Lets the user stay, and be changed again. */
  async cancel(): Promise<void> {
    await this.database.transaction(async (manager) => {
      const before = await this.moves.findLocked(manager, this.userId);
      if (before?.state === 'gone') throw this.gone();
      if (before === null || before.state === 'here') throw this.refusal('is not moving');
      await this.step(manager, before, { state: 'here' });
    });
  }

  /** @throws Refusal if the user does not leave by this move, and has not. */
  private async leaving(manager: EntityManager, receipt: string): Promise<UserMoveEntity> {
    const before = await this.moves.findLocked(manager, this.userId);
    if (before === null || before.state === 'here') throw this.refusal('is not moving');
    if (before.departure !== receipt)
      throw this.refusal(
        'leaves by another move: this is not the receipt that user:import has printed for it',
      );
    return before;
  }

  private async rows(manager: EntityManager, receipt: string): Promise<UserRows> {
    const ofUser = { where: { userId: this.userId }, order: { id: 'ASC' } } as const;
    // So that nothing is recovered meanwhile. SQLite runs one transaction at a time.
    const locked = this.database.dialect === 'mysql' ? { lock: { mode: 'pessimistic_write' } as const } : {};
    const webhooks = await manager.find(WebhookEntity, { ...ofUser, ...locked });
    const events = Map.groupBy(await manager.find(EventEntity, ofUser), (event) => event.webhookId);
    const keys = await manager.find(ApiKeyEntity, ofUser);
    return {
      receipt,
      webhooks: webhooks.map((row) => ({ row, events: events.get(row.id) ?? [] })),
      apiKeys: keys.filter(isOfUser),
    };
  }

  /** In one statement, and so as they are at one moment: a notice becomes triggers, and a trigger a notice. */
  private async countLeft(manager: EntityManager): Promise<Left> {
    const webhooks = await manager.find(WebhookEntity, {
      select: { id: true },
      where: { userId: this.userId },
    });
    const ids = idList(this.database.dialect, ['', ...webhooks.map(({ id }) => id)]);
    const index = indexHint(this.database.dialect, 'webhook_trigger_due');
    const [row] = await this.database.query<Record<keyof Left, number | string>[]>(
      `SELECT
         (SELECT COUNT(*) FROM webhook_trigger ${index}
          WHERE status IN ('PENDING', 'DELIVERING') AND webhook_id IN ${ids.sql}) AS triggers,
         (SELECT COUNT(*) FROM webhook_recovery WHERE user_id = ? AND running_of IS NOT NULL) AS recoveries,
         (SELECT COUNT(*) FROM webhook_notice WHERE user_id = ?) AS notices`,
      [ids.parameter, this.userId, this.userId],
      manager,
    );
    return {
      triggers: Number(row?.triggers),
      recoveries: Number(row?.recoveries),
      notices: Number(row?.notices),
    };
  }

  private step(
    manager: EntityManager,
    before: UserMoveEntity | null,
    step: Pick<UserMoveEntity, 'state'> & Partial<Pick<UserMoveEntity, 'departure'>>,
  ): Promise<void> {
    return this.moves.step(manager, before, { ...step, userId: this.userId, now: Date.now() });
  }

  private refusal(why: string): Refusal {
    return new Refusal(`The user ${JSON.stringify(this.userId)} ${why}.`);
  }

  private gone(): Refusal {
    return this.refusal(
      'has left this cell already. To bring it back, export it where it is, and import it here',
    );
  }
}

const isDone = ({ triggers, recoveries, notices }: Left) => triggers + recoveries + notices === 0;
