import { SCOPES } from '../../platform/access/scope.js';
import { answerOf } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import type { Principal } from '../../rest/principal.js';

@ApiSchema({ description: 'Who is calling' })
export class WebhookCallerDto extends answerOf<Pick<Principal, 'userId' | 'scopes'>>({
  user_id: { example: 'acme', description: 'The user that calls act for' },
  scopes: { enum: SCOPES, isArray: true, example: ['webhooks:read', 'webhooks:write'] },
}) {}
