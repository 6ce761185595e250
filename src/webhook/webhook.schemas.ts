import { Inject, Injectable } from '@nestjs/common';
import { EventKinds } from '../event/event-kinds.js';
import { URL_JUDGE, type UrlJudge } from '../network/address/url-judge.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { faultOfSchedule } from '../platform/config/retention-check.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { type FieldError, invalid } from '../platform/problem.js';
import { type CreateOrDelete, createOrDelete } from '../rest/create-or-delete.js';
import { parseBody } from '../rest/validation.js';
import {
  type CreateWebhookBody,
  type NewWebhookInput,
  type PutWebhookBody,
  type PutWebhookInput,
  type UpdateWebhookInput,
  webhookBodies,
} from './dto/webhook-body.js';

/** Validates bodies whose rules depend on the known event kinds, on where a webhook may point, and on the retention. */
@Injectable()
export class WebhookSchemas {
  private readonly schemas: ReturnType<typeof webhookBodies>;

  constructor(
    kinds: EventKinds,
    @Inject(URL_JUDGE) private readonly judge: UrlJudge,
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.schemas = webhookBodies(kinds.field(), {
      url: (url) => judge.faultOfForm(url),
      schedule: (seconds) => faultOfSchedule(seconds, settings.retention),
      now: () => clock.now(),
    });
  }

  /** The body of the shared POST. @throws Problem 400 */
  createOrDelete(body: unknown): CreateOrDelete<CreateWebhookBody> {
    return createOrDelete(this.schemas.body.create, body);
  }

  /** @throws Problem 400 */
  putBody(body: unknown): PutWebhookBody {
    return parseBody(this.schemas.body.put, body);
  }

  /** @throws Problem 400 */
  updateBody(body: unknown): UpdateWebhookInput {
    return parseBody(this.schemas.body.update, body);
  }

  /** What a service is given. @throws Problem 400 */
  create(input: unknown): NewWebhookInput {
    return parseBody(this.schemas.input.create, input);
  }

  /** What a service is given. @throws Problem 400 */
  put(input: unknown): PutWebhookInput {
    return parseBody(this.schemas.input.put, input);
  }

  /** What a service is given. @throws Problem 400 */
  update(input: unknown): UpdateWebhookInput {
    return parseBody(this.schemas.input.update, input);
  }

  /** @throws Problem 400 naming each URL that leads to an address that may not be reached. */
  async checkAddresses({ url, authentication }: Pick<UpdateWebhookInput, 'url' | 'authentication'>) {
    const faults = await Promise.all([
      this.faultOf('/url', url),
      this.faultOf(
        '/authentication/token_url',
        authentication?.type === 'oauth2' ? authentication.tokenUrl : undefined,
      ),
    ]);
    if (faults.flat().length > 0) throw invalid(faults.flat());
  }

  private async faultOf(pointer: string, url: string | undefined): Promise<FieldError[]> {
    const message = url === undefined ? null : await this.judge.faultOfAddresses(url);
    return message === null ? [] : [{ pointer, message }];
  }
}
