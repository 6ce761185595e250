import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { writeJson } from '../../platform/json/write-json.js';
import { fitting } from '../../rest/page-bytes.js';
import { Database } from '../../store/database.js';
import { ATTEMPT_FIELDS, AttemptEntity } from '../../store/tables/trigger/attempt.entity.js';
import { NotificationEntity } from '../../store/tables/trigger/notification.entity.js';
import type { TriggerEntity } from '../../store/tables/trigger/trigger.entity.js';

const COLUMNS = ATTEMPT_FIELDS.map(([, column]) => `a.${column}`);
const WITHOUT_BODY = COLUMNS.filter((column) => column !== 'a.response_body');

/** Holds fewer attempts than asked for if they are large. */
interface AttemptPage {
  attempts: AttemptEntity[];
  isLast: boolean;
}

interface Size {
  bytes: number | string;
}

/** Requests and their responses. */
@Injectable()
export class ExchangeRepository {
  /** Attempts by trigger and number, as a table. */
  private readonly named: string;
  /** Attempts are found by their key. */
  private readonly join: string;
  /** The size of a stored response. */
  private readonly answerBytes: string;

  constructor(private readonly database: Database) {
    this.named = database.sql.jsonRows({ trigger_id: 'id', attempt: 'integer' });
    this.join = database.sql.thenJoin;
    const bytesOf = (column: string) => `COALESCE(${database.sql.bytesOf(column)}, 0)`;
    this.answerBytes = `${bytesOf('a.response')} + ${bytesOf('a.response_body')}`;
  }

  /** How many of these triggers fit on a page with the bodies of their requests and responses. */
  async fitting(triggers: TriggerEntity[]): Promise<number> {
    if (triggers.length === 0) return 0;
    const sizes = await this.database.query<(Size & { id: string })[]>(
      `SELECT t.id AS id, LENGTH(n.body) + ${this.answerBytes} AS bytes
       FROM webhook_trigger t
       JOIN webhook_notification n ON n.id = t.notification_id
       LEFT JOIN webhook_attempt a ON a.trigger_id = t.id AND a.number = t.attempt_count
       WHERE t.id IN (${triggers.map(() => '?').join(', ')})`,
      triggers.map(({ id }) => id),
    );
    const byId = new Map(sizes.map(({ id, bytes }) => [id, Number(bytes)]));
    return fitting(triggers.map(({ id }) => byId.get(id) ?? 0));
  }

  /** The bodies sent, by notification. */
  async bodies(notificationIds: string[]): Promise<Map<string, Buffer>> {
    const rows = await this.database.run((manager) =>
      manager.find(NotificationEntity, {
        select: { id: true, body: true },
        where: { id: In([...new Set(notificationIds)]) },
      }),
    );
    return new Map(rows.map(({ id, body }) => [id, body]));
  }

  /** The last attempt of each trigger that had one, by trigger. */
  async lastAttempts(triggers: TriggerEntity[], withBody: boolean): Promise<Map<string, AttemptEntity>> {
    const attempted = triggers.filter(({ attemptCount }) => attemptCount > 0);
    if (attempted.length === 0) return new Map();
    const columns = withBody ? COLUMNS : WITHOUT_BODY;
    const rows = await this.database.entities(
      AttemptEntity,
      `SELECT ${columns.join(', ')} FROM ${this.named} AS j
       ${this.join} webhook_attempt AS a ON a.trigger_id = j.trigger_id AND a.number = j.attempt`,
      [writeJson(attempted.map(({ id, attemptCount }) => [id, attemptCount]))],
    );
    return new Map(rows.map((attempt) => [attempt.triggerId, attempt]));
  }

  /** The last failed attempt of each of these triggers, without what was answered in its body. */
  async lastFailures(triggerIds: string[]): Promise<Map<string, AttemptEntity>> {
    if (triggerIds.length === 0) return new Map();
    const list = this.database.sql.idList([...new Set(triggerIds)]);
    const rows = await this.database.entities(
      AttemptEntity,
      `SELECT ${WITHOUT_BODY.join(', ')} FROM webhook_attempt AS a ${this.database.sql.byIndex('PRIMARY')}
       WHERE a.trigger_id IN ${list.sql}
         AND a.number = (SELECT f.number FROM webhook_attempt AS f
           WHERE f.trigger_id = a.trigger_id AND f.error_code IS NOT NULL ORDER BY f.number DESC LIMIT 1)`,
      [list.parameter],
    );
    return new Map(rows.map((attempt) => [attempt.triggerId, attempt]));
  }

  /** The last attempts of a trigger, newest first. @param before returns only lower numbers. */
  async attempts(triggerId: string, limit: number, before = Number.MAX_SAFE_INTEGER): Promise<AttemptPage> {
    const sizes = await this.database.query<(Size & { number: number })[]>(
      `SELECT number, ${this.answerBytes} AS bytes FROM webhook_attempt a
       WHERE trigger_id = ? AND number < ? ORDER BY number DESC LIMIT ?`,
      [triggerId, before, limit + 1],
    );
    const shown = sizes.slice(0, Math.min(limit, fitting(sizes.map(({ bytes }) => Number(bytes)))));
    const attempts = await this.database.run((manager) =>
      manager.find(AttemptEntity, {
        where: { triggerId, number: In(shown.map(({ number }) => number)) },
        order: { number: 'DESC' },
      }),
    );
    return { attempts, isLast: shown.length === sizes.length };
  }
}
