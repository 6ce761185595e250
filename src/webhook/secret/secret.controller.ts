import { Body, Get, Post } from '@nestjs/common';
import { ApiController } from '../../auth/api-controller.js';
import { toAnswer } from '../../rest/answer.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiTags } from '../../rest/docs.js';
import type { IdQuery } from '../../rest/fields.js';
import { Operation } from '../../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../../rest/principal.js';
import { ById, validBody } from '../../rest/validation.js';
import {
  type RotateSecretBody,
  rotateSecretBody,
  WebhookPublicKeyDto,
  WebhookRotatedSecretDto,
  WebhookSecretDto,
} from '../dto/secret.dto.js';
import { WebhookService } from '../webhook.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';

@ApiTags('Webhook')
@ApiController('v1/webhook')
export class SecretController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly secrets: WebhookSecrets,
  ) {}

  @Get('secret')
  @Operation({
    id: 'findWebhookSecret',
    summary: 'Show the signing secret of a webhook',
    scope: 'webhooks:write',
    answer: WebhookSecretDto,
    problems: [404, 409],
  })
  async find(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookSecretDto> {
    return this.webhooks.secret(ownerOf(caller), id);
  }

  @Post('secret/rotate')
  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Give a webhook a new signing secret',
    description:
      'For `overlap_seconds` (a day unless given, 7 days at most) requests carry the signature of the previous secret as ' +
      'well, behind the new one; with 0 the previous one ends at once. Those rotated out before sign until their own end: ' +
      'no more than 5 sign together (409, code `too_many_secrets`). `secret` is made unless given.',
    scope: 'webhooks:write',
    answer: WebhookRotatedSecretDto,
    problems: [404, 409, 413],
  })
  async rotate(
    @Caller() caller: Principal,
    @Body(validBody(rotateSecretBody)) body: RotateSecretBody,
  ): Promise<WebhookRotatedSecretDto> {
    return toAnswer(WebhookRotatedSecretDto, await this.secrets.rotate(ownerOf(caller), camelKeys(body)));
  }

  @Get('public-key')
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
  async publicKey(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookPublicKeyDto> {
    return toAnswer(WebhookPublicKeyDto, await this.secrets.publicKey(ownerOf(caller), id));
  }
}
