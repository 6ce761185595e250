import { Inject, Injectable } from '@nestjs/common';
import { invalid } from '../common/problem.js';
import { faultOfSchedule } from '../config/retention-check.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { URL_JUDGE, type UrlJudge } from '../egress/url-judge.js';
import { EventKinds } from '../event/event-kinds.js';
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
  ) {
    this.schemas = webhookBodies(kinds.field(), {
      url: (url) => judge.faultOfForm(url),
      schedule: (seconds) => faultOfSchedule(seconds, settings.retention),
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

  /** @throws Problem 400 if the URL leads to an address that may not be reached. */
  async checkAddresses({ url }: { url?: string | undefined }): Promise<void> {
    const message = url === undefined ? null : await this.judge.faultOfAddresses(url);
    if (message !== null) throw invalid([{ pointer: '/url', message }]);
  }
}
