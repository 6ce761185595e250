import { Injectable } from '@nestjs/common';
import { isWhole } from '../../engine/ledger/whole-body.js';
import { toDateTime } from '../../platform/json/json-time.js';
import { writeJson } from '../../platform/json/write-json.js';
import { toRow } from '../../rest/answer.js';
import type { ChangedSubject, ChangeSource, Shown, Subject } from '../../streams/follower.js';
import { ExchangeRepository } from '../../trigger/attempt/exchange.repository.js';
import { WebhookStreamedNotificationDto } from '../dto/streamed-notification.dto.js';
import { NotificationRepository, type SizedNotification } from '../notification.repository.js';
import { partsOf } from '../parts.js';

/** Bodies read at once. A single one may be larger. */
const MAX_BYTES = 1024 * 1024;

interface Wanted extends SizedNotification {
  /** The id of the change. */
  change: number;
}

/** Accepted notifications, with the bytes that webhooks get. */
@Injectable()
export class NotificationSource implements ChangeSource {
  readonly kind = 'notification';

  constructor(
    private readonly notifications: NotificationRepository,
    private readonly exchanges: ExchangeRepository,
  ) {}

  async *read(changed: ChangedSubject[], isWanted: (subject: Subject) => boolean): AsyncGenerator<Shown[]> {
    const rows = await this.notifications.sizes(changed.map(({ subjectId }) => subjectId));
    const wanted = new Map(rows.filter(isWanted).map((row) => [row.id, row]));
    const all = changed.flatMap(({ id, subjectId }) => {
      const row = wanted.get(subjectId);
      return row ? [{ ...row, change: id }] : [];
    });
    for (const part of partsOf(all, ({ bytes }) => bytes, MAX_BYTES)) yield this.shown(part);
  }

  private async shown(part: Wanted[]): Promise<Shown[]> {
    const bodies = await this.exchanges.bodies(part.map(({ id }) => id));
    return part.flatMap(({ change, ...subject }) => {
      const body = bodies.get(subject.id);
      // Nothing is left of one that was erased meanwhile.
      if (!body || body.length === 0) return [];
      if (!isWhole(subject.id, body)) return [];
      const shown = { ...subject, triggeredAt: toDateTime(subject.triggeredAt), body: body.toString() };
      const data = writeJson(toRow(WebhookStreamedNotificationDto, shown));
      return [{ id: change, subject, data }];
    });
  }
}
