import { ApiSchema } from '@nestjs/swagger';
import { z } from 'zod';
import { parseSecret, SECRET_ERROR } from '../../common/secret/signing-secret.js';
import { Field, id, toAnswer } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';
import type { RotatedSecret } from '../secret/webhook-secret.js';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_OVERLAP_SECONDS = 7 * DAY_SECONDS;
const OVERLAP_ERROR = { error: `must be a whole number of seconds from 0 to ${MAX_OVERLAP_SECONDS}` };

/** A signing secret that the caller chooses. */
export const secretField = z
  .string({ error: 'must be a string' })
  .refine((secret) => parseSecret(secret) !== null, { error: SECRET_ERROR });

export const rotateSecretBody = z.strictObject({
  id,
  overlap_seconds: z
    .int(OVERLAP_ERROR)
    .min(0, OVERLAP_ERROR)
    .max(MAX_OVERLAP_SECONDS, OVERLAP_ERROR)
    .default(DAY_SECONDS),
  secret: secretField.optional(),
});
export type RotateSecretBody = z.infer<typeof rotateSecretBody>;
export const rotateSecretInput = inputLike(rotateSecretBody);

@ApiSchema({ description: 'The signing secret of a webhook' })
export class WebhookSecretDto {
  @Field({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  secret: string;
}

@ApiSchema({ description: 'The new signing secret, and until when the one before it signs as well' })
export class WebhookRotatedSecretDto extends WebhookSecretDto {
  @Field({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-22T10:15:30.123Z',
    description: 'Until then the previous secret signs as well; null where it does not',
  })
  previous_expires_at: string | null;
}

export const toRotatedSecretDto = (rotated: RotatedSecret): WebhookRotatedSecretDto =>
  toAnswer(WebhookRotatedSecretDto, rotated);
