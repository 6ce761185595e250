import { z } from 'zod';
import {
  type BasicAuthentication,
  type BearerAuthentication,
  isMasked,
  type OAuth2Authentication,
  secretOf,
  type WebhookAuthentication,
} from '../../engine/webhook/authentication.js';
import { MASK, NOTHING_STORED } from '../../engine/webhook/headers.js';
import { answerOf, toRow } from '../../rest/answer.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiSchema } from '../../rest/docs.js';
import { asciiLine, text } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';

const CONTROL = /\p{Cc}/u;
/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

const TYPES = ['basic', 'bearer', 'oauth2'] as const;

/** RFC 7617, 2: no control characters. A password may be empty: some receivers take a key as the user name. */
const credential = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .max(max, { error: `must be at most ${max} characters` })
    .refine((value) => value.isWellFormed() && !CONTROL.test(value), {
      error: 'must not hold control characters',
    });

/** @param url the field of a webhook's URL: the same holds for a token endpoint. */
const bodiesOf = (url: z.ZodType<string, string>) => ({
  basic: z.strictObject({
    type: z.literal('basic'),
    username: credential(256)
      .min(1, { error: 'must not be empty' })
      .refine((name) => !name.includes(':'), { error: 'must not hold a colon (RFC 7617)' }),
    password: credential(1024),
  }),
  bearer: z.strictObject({
    type: z.literal('bearer'),
    token: text(4096).regex(/^[\x21-\x7e]*$/, { error: 'must hold visible ASCII characters only' }),
  }),
  oauth2: z.strictObject({
    type: z.literal('oauth2'),
    token_url: url,
    client_id: asciiLine(512),
    client_secret: asciiLine(4096),
    scope: asciiLine(2048)
      .regex(SCOPE, { error: 'must be words with one blank between them (RFC 6749, 3.3)' })
      .nullable()
      .default(null),
    audience: asciiLine(2048).nullable().default(null),
  }),
});

const errors = {
  error: ({ code }: { code?: string }) =>
    code === 'invalid_union'
      ? `must be one of ${TYPES.join(', ')}`
      : 'must be { type, … } with a type of basic, bearer or oauth2, or null',
};

/** `authentication` in a body of the REST API, and in what services take. Both are read into the same form. */
export function authenticationFields(url: z.ZodType<string, string>) {
  const { basic, bearer, oauth2 } = bodiesOf(url);
  const wire: z.ZodType<WebhookAuthentication | null> = z
    .discriminatedUnion('type', [basic, bearer, oauth2], errors)
    .transform((given): WebhookAuthentication => camelKeys(given))
    .nullable();
  const input: z.ZodType<WebhookAuthentication | null> = z
    .discriminatedUnion('type', [inputLike(basic), inputLike(bearer), inputLike(oauth2)], errors)
    .nullable();
  return { wire, input };
}

/** Refines the authentication of a new webhook, which has no stored secret for a mask to keep. */
export function noMaskedSecret(given: WebhookAuthentication | null, context: z.RefinementCtx): void {
  if (given === null || !isMasked(given)) return;
  context.addIssue({ code: 'custom', message: NOTHING_STORED, path: [secretOf(given).field] });
}

@ApiSchema({ description: 'A user name and a password (RFC 7617)' })
class WebhookBasicAuthenticationDto extends answerOf<BasicAuthentication>({
  type: { enum: ['basic'] },
  username: { example: 'webhooks' },
  password: { example: MASK },
}) {}

@ApiSchema({ description: 'A token that is always the same (RFC 6750)' })
class WebhookBearerAuthenticationDto extends answerOf<BearerAuthentication>({
  type: { enum: ['bearer'] },
  token: { example: MASK },
}) {}

@ApiSchema({ description: 'Access tokens of OAuth 2.0, got with client credentials (RFC 6749, 4.4)' })
class WebhookOAuth2AuthenticationDto extends answerOf<OAuth2Authentication>({
  type: { enum: ['oauth2'] },
  token_url: { example: 'https://login.example.com/oauth2/token' },
  client_id: { example: 'webhooks' },
  client_secret: { example: MASK },
  scope: { type: String, nullable: true, example: 'hooks.write' },
  audience: { type: String, nullable: true, example: null },
}) {}

const DTOS = {
  basic: WebhookBasicAuthenticationDto,
  bearer: WebhookBearerAuthenticationDto,
  oauth2: WebhookOAuth2AuthenticationDto,
};
export const AUTHENTICATION_DTOS = Object.values(DTOS);

/** @param authentication masked. */
export const toAuthenticationDto = (authentication: WebhookAuthentication | null) =>
  authentication && toRow<object>(DTOS[authentication.type], authentication);
