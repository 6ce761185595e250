import { z } from 'zod';
import { DEFAULT_PER_SECOND } from '../../../engine/replay/scan/new-recovery.js';
import { jsonSchemaOf } from '../../../platform/json/json-schema.js';
import { ApiBody, ApiSchema } from '../../../rest/docs.js';
import { dateTime, Field, flag, id, nextCursor, paging, toAnswer } from '../../../rest/fields.js';
import { inputLike, queryLike } from '../../../rest/input.js';
import { RECOVERY_STATES, type RecoveryState } from '../../../store/tables/webhook/recovery.entity.js';
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

const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42';
const uuid = { format: 'uuid', example: ID } as const;
const since = '2026-11-21T09:00:00.000Z';
const until = '2026-11-21T10:15:30.123Z';
const time = { type: String, format: 'date-time' } as const;

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
export class WebhookRecoveryDto {
  @Field({ example: 42, description: 'The same as `total`' })
  triggers: number;
  @Field({ ...uuid, type: String, nullable: true, description: 'null on a dry run' })
  id: string | null;
  @Field(uuid)
  webhook_id: string;
  @Field({
    type: String,
    enum: [...RECOVERY_STATES, null],
    nullable: true,
    description:
      '`STOPPED` by a call, or because the webhook was disabled or deleted meanwhile; null on a dry run',
    example: 'RUNNING',
  })
  state: RecoveryState | null;
  @Field({
    example: 42,
    description:
      'Triggers that it is to make due. If there are some millions, the call answers those that it counted in three ' +
      'seconds; the total of a running recovery then goes on growing',
  })
  total: number;
  @Field({ example: 10, description: 'Triggers that it has made due' })
  done: number;
  @Field({ ...time, example: since })
  since: string;
  @Field({ ...time, example: until })
  until: string;
  @Field({ example: false })
  missed: boolean;
  @Field({ example: 10 })
  per_second: number;
  @Field({ ...time, nullable: true, description: 'null on a dry run', example: until })
  begin: string | null;
  @Field({ ...time, nullable: true, description: 'null until it is done or stopped', example: null })
  end: string | null;
}

@ApiSchema({ description: 'A page of recoveries, newest first' })
export class WebhookRecoveryListDto {
  @Field({ type: [WebhookRecoveryDto] })
  data: WebhookRecoveryDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

export const toRecoveryDto = (recovery: Recovery): WebhookRecoveryDto =>
  toAnswer(WebhookRecoveryDto, recovery);
