import { z } from 'zod';
import type { SignatureScheme } from '../../platform/secret/signing-secret.js';
import { isSecretOf, SECRET_ERRORS, SIGNATURE_SCHEMES } from '../../platform/secret/signing-secret.js';
import { answerOf, Field, timeOrNull } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { id, oneOf } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';
import type { PublicKey, WebhookSecret } from '../secret/webhook-secret.js';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_OVERLAP_SECONDS = 7 * DAY_SECONDS;
const OVERLAP_ERROR = { error: `must be a whole number of seconds from 0 to ${MAX_OVERLAP_SECONDS}` };

/** A signing secret that the caller chooses. Which ones fit depends on the webhook's scheme: see {@link faultOfSecret}. */
export const secretField = z.string({ error: 'must be a string' });

/** What is wrong with a secret that is given for a scheme; null if nothing is. */
export const faultOfSecret = (scheme: SignatureScheme, secret: string): string | null =>
  scheme !== 'standard-asymmetric' && isSecretOf(scheme, secret) ? null : SECRET_ERRORS[scheme];

/** `signature` of a webhook; null is the default. */
export const signatureField = z.strictObject({ scheme: oneOf(SIGNATURE_SCHEMES) }).nullable();

export const rotateSecretBody = z.strictObject({
  id,
  overlap_seconds: z
    .int(OVERLAP_ERROR)
    .min(0, OVERLAP_ERROR)
    .max(MAX_OVERLAP_SECONDS, OVERLAP_ERROR)
    .default(DAY_SECONDS),
  // Which of these fits is known once the webhook is.
  secret: secretField
    .refine((secret) => SIGNATURE_SCHEMES.some((scheme) => isSecretOf(scheme, secret)), {
      error: SECRET_ERRORS.standard,
    })
    .optional(),
});
export type RotateSecretBody = z.infer<typeof rotateSecretBody>;
export const rotateSecretInput = inputLike(rotateSecretBody);

export const secretDocs = {
  type: String,
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  description: 'Verifies the requests sent; with `standard-asymmetric` the public key, `whpk_` and base64',
} as const;

@ApiSchema({ description: 'The signing secret of a webhook' })
export class WebhookSecretDto extends answerOf<WebhookSecret>({ secret: secretDocs }) {}

@ApiSchema({ description: 'The new signing secret, and until when the one before it signs as well' })
export class WebhookRotatedSecretDto extends WebhookSecretDto {
  @Field({
    ...timeOrNull,
    example: '2026-11-22T10:15:30.123Z',
    description: 'Until then the previous secret signs as well; null where it does not',
  })
  previous_expires_at: string | null;
}

@ApiSchema({ description: 'What verifies the requests to a webhook that signs with a key pair' })
export class WebhookPublicKeyDto extends answerOf<PublicKey>({
  public_key: {
    example: 'whpk_2Zr1kKn8gWxTn9lQpW4mT3yq0GQkR3v1d8S7uUeYcXo=',
    description: 'Ed25519: `whpk_` and base64 of 32 bytes (Standard Webhooks, `v1a`)',
  },
}) {}
