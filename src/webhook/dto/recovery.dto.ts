import { ApiBody, ApiSchema } from '@nestjs/swagger';
import { z } from 'zod';
import { jsonSchemaOf } from '../../common/json/json-schema.js';
import { dateTime, Field, flag, id } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';

export const recoverBody = z.strictObject({
  id,
  since: dateTime,
  until: dateTime.optional(),
  dry_run: flag.default(false),
});
export type RecoverBody = z.infer<typeof recoverBody>;
export const recoveryInput = inputLike(recoverBody);

const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42';
const since = '2026-11-21T09:00:00.000Z';
const until = '2026-11-21T10:15:30.123Z';

export const RecoverDocs = () =>
  ApiBody({
    schema: jsonSchemaOf(recoverBody),
    examples: {
      recover: { summary: 'Recover', value: { id: ID, since, until } },
      count: { summary: 'Count', value: { id: ID, since, dry_run: true } },
    },
  });

@ApiSchema({ description: 'How many triggers are due again, or would be' })
export class WebhookRecoveredDto {
  @Field({ example: 42, description: 'Triggers that are due again, or, on a dry run, would be' })
  triggers: number;
}
