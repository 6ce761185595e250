import { Get } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { toAnswer } from '../../rest/answer.js';
import { ApiTags } from '../../rest/docs.js';
import type { IdQuery } from '../../rest/fields.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { ById } from '../../rest/validation.js';
import { WebhookPublicKeyDto } from '../dto/secret.dto.js';
import { WebhookSecrets } from './webhook-secrets.service.js';

@ApiTags('Webhook')
@ApiController('v1/webhook/public-key')
export class PublicKeyController {
  constructor(private readonly secrets: WebhookSecrets) {}

  @Get()
  @Operation({
    id: 'findWebhookPublicKey',
    summary: 'Show the public key of a webhook that signs with a key pair',
    description:
      'For webhooks with the signature scheme `standard-asymmetric`. After a rotation it is the new one; until the end of ' +
      'the overlap requests carry a signature of each.',
    scope: 'webhooks:read',
    answer: WebhookPublicKeyDto,
    problems: [404, 409],
  })
  async find(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookPublicKeyDto> {
    return toAnswer(WebhookPublicKeyDto, await this.secrets.publicKey(ownerOf(caller), id));
  }
}
