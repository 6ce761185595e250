import { ApiSchema } from '../../rest/docs.js';
import { Field, toAnswer } from '../../rest/fields.js';
import { type Principal, SCOPES, type Scope } from '../../rest/principal.js';

@ApiSchema({ description: 'Who is calling' })
export class WebhookCallerDto {
  @Field({ example: 'acme', description: 'The user that calls act for' })
  user_id: string;
  @Field({ enum: SCOPES, isArray: true, example: ['webhooks:read', 'webhooks:write'] })
  scopes: Scope[];
}

export const toCallerDto = ({ userId, scopes }: Principal): WebhookCallerDto =>
  toAnswer(WebhookCallerDto, { userId, scopes });
