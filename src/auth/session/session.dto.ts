import { z } from 'zod';
import { toDateTime } from '../../platform/json/json-time.js';
import { Field, toAnswer } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { text } from '../../rest/fields.js';
import { WebhookCallerDto } from '../dto/caller.dto.js';
import type { Session } from './sessions.js';

/** Any text may be tried: what is no key or code is answered like a wrong one, and counted like one. */
const secret = text(200);

export const openSessionBody = z
  .strictObject({
    key: secret.optional().meta({ description: 'An API key', example: 'whk_…' }),
    code: secret.optional().meta({ description: 'The code of a link to the console, in place of the key' }),
  })
  .refine(({ key, code }) => (key === undefined) !== (code === undefined), {
    path: ['key'],
    error: 'must be given, or the code of a link, and not both',
  });
export type OpenSessionBody = z.infer<typeof openSessionBody>;

@ApiSchema({ description: 'A new session. What identifies it is in the cookie' })
export class WebhookSessionDto extends WebhookCallerDto {
  @Field({ format: 'date-time', example: '2026-11-21T22:15:30.123Z' })
  expires_at: string;
}

@ApiSchema({ description: 'The answer to leaving' })
export class WebhookSessionLeftDto {
  @Field({ example: true })
  left: true;
}

export const toSessionDto = ({ principal: { userId, scopes }, expiresAt }: Session): WebhookSessionDto =>
  toAnswer(WebhookSessionDto, { userId, scopes, expiresAt: toDateTime(expiresAt) });
