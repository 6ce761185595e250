import { z } from 'zod';
import { answerOf } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { text, userId } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';

/** Any text: the ids of records are their owners'. */
const recordId = text(256, 'is required, once: the id of the record');

export const erasureQuery = z.strictObject({ record_id: recordId, user_id: userId.optional() });
export type ErasureQuery = z.infer<typeof erasureQuery>;
export const erasureInput = inputLike(erasureQuery.required());

/** What was erased. Repeating the call answers zeros. */
export interface Erased {
  /** Notifications of the record. */
  notifications: number;
  /** Their triggers. */
  triggers: number;
  /** Triggers that were not delivered yet, and are `CANCELLED` now. */
  cancelled: number;
}

@ApiSchema({ description: 'What was erased' })
export class WebhookErasedDto extends answerOf<Erased>({
  notifications: { example: 3, description: 'Notifications of the record' },
  triggers: { example: 5, description: 'Their triggers' },
  cancelled: { example: 1, description: 'Triggers that were not delivered yet, and are CANCELLED now' },
}) {}
