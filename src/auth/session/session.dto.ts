import { ApiSchema } from '@nestjs/swagger';
import { z } from 'zod';
import { toDateTime } from '../../common/json/json-time.js';
import { Field, toAnswer } from '../../rest/fields.js';
import { WebhookCallerDto } from '../dto/caller.dto.js';
import type { Session } from './sessions.js';

const MAX_KEY = 200;

/** Any text may be tried as a key: what is none is answered like a wrong one, and counted like one. */
export const openSessionBody = z.strictObject({
  key: z
    .string({ error: 'must be a string' })
    .min(1, { error: 'must not be empty' })
    .max(MAX_KEY, { error: `must be at most ${MAX_KEY} characters` })
    .meta({ example: 'whk_…' }),
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
