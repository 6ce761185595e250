import { Injectable } from '@nestjs/common';
import { writeJson } from '../../platform/json/write-json.js';
import { toRow } from '../../rest/answer.js';
import type { ChangedSubject, ChangeSource, Shown, Subject } from '../../streams/follower.js';
import { WebhookTriggerDto } from '../dto/trigger.dto.js';
import { TriggerRepository } from '../trigger.repository.js';
import { TriggerViews } from '../trigger-views.js';

const AT_ONCE = 100;

/** Triggers that have changed, without bodies. */
@Injectable()
export class TriggerSource implements ChangeSource {
  readonly kind = 'trigger';

  constructor(
    private readonly triggers: TriggerRepository,
    private readonly shown: TriggerViews,
  ) {}

  async *read(changed: ChangedSubject[], isWanted: (subject: Subject) => boolean): AsyncGenerator<Shown[]> {
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      const part = changed.slice(at, at + AT_ONCE);
      const rows = await this.triggers.some(part.map(({ subjectId }) => subjectId));
      const wanted = new Map(rows.filter(isWanted).map((row) => [row.id, row]));
      const shown = await this.shown.of([...wanted.values()], false);
      const byId = new Map(shown.map((trigger) => [trigger.id, trigger]));
      yield part.flatMap(({ id, subjectId }) => {
        const [subject, trigger] = [wanted.get(subjectId), byId.get(subjectId)];
        if (!subject || !trigger) return [];
        return [{ id, subject, data: writeJson(toRow(WebhookTriggerDto, trigger)) }];
      });
    }
  }
}
