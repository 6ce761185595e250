import { z } from 'zod';
import { DEFAULT_PER_SECOND } from '../../../engine/replay/scan/new-recovery.js';
import { jsonSchemaOf } from '../../../platform/json/json-schema.js';
import { answerOf, listOf, time, uuid } from '../../../rest/answer.js';
import { ApiBody, ApiSchema } from '../../../rest/docs.js';
import { dateTime, flag, id, paging } from '../../../rest/fields.js';
import { inputLike, queryLike } from '../../../rest/input.js';
import { RECOVERY_STATES } from '../../../store/tables/webhook/recovery.entity.js';
import type { Recovery } from '../recovery.js';

const PACE_ERROR = { error: 'must be a whole number from 1 to 1000' };

export const recoverBody = z.strictObject({
  id,
  since: dateTime,
  until: dateTime.optional(),
  missed: flag.default(false),
  per_second: z.int(PACE_ERROR).min(1, PACE_ERROR).max(1000, PACE_ERROR).default(DEFAULT_PER_SECOND),
  dry_run: flag.default(false),
});
export type RecoverBody = z.infer<typeof recoverBody>;
export const recoveryInput = inputLike(recoverBody);

export const recoveryListQuery = z.strictObject({ webhook_id: id.optional(), ...paging });
export type RecoveryListQuery = z.infer<typeof recoveryListQuery>;
export const recoveryListInput = queryLike(recoveryListQuery);

const ID = uuid.example;
const since = '2026-11-21T09:00:00.000Z';
const until = time.example;
const perhaps = { type: String, format: 'date-time', nullable: true } as const;

export const RecoverDocs = () =>
  ApiBody({
    schema: jsonSchemaOf(recoverBody),
    examples: {
      recover: { summary: 'Recover', value: { id: ID, since, until } },
      missed: {
        summary: 'Also what it never got a trigger for, faster',
        value: { id: ID, since, missed: true, per_second: 100 },
      },
      count: { summary: 'Count', value: { id: ID, since, dry_run: true } },
    },
  });

@ApiSchema({ description: 'Sending again what a webhook missed' })
export class WebhookRecoveryDto extends answerOf<Recovery>({
  triggers: { example: 42, description: 'The same as `total`' },
  id: { ...uuid, nullable: true, description: 'null on a dry run' },
  webhook_id: uuid,
  state: {
    type: String,
    enum: [...RECOVERY_STATES, null],
    nullable: true,
    description:
      '`STOPPED` by a call, or because the webhook was disabled or deleted meanwhile; null on a dry run',
    example: 'RUNNING',
  },
  total: {
    example: 42,
    description:
      'Triggers that it is to make due. If there are some millions, the call answers those that it counted in three ' +
      'seconds; the total of a running recovery then goes on growing',
  },
  done: { example: 10, description: 'Triggers that it has made due' },
  since: { ...time, example: since },
  until: { ...time, example: until },
  missed: { example: false },
  per_second: { example: 10 },
  begin: { ...perhaps, description: 'null on a dry run', example: until },
  end: { ...perhaps, description: 'null until it is done or stopped', example: null },
}) {}

@ApiSchema({ description: 'A page of recoveries, newest first' })
export class WebhookRecoveryListDto extends listOf(WebhookRecoveryDto) {}
