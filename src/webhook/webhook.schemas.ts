import { Inject, Injectable } from '@nestjs/common';
import { invalid } from '../common/problem.js';
import { URL_JUDGE, type UrlJudge } from '../egress/url-judge.js';
import { EventKinds } from '../event/event-kinds.js';
import { type CreateOrDelete, createOrDelete } from '../rest/create-or-delete.js';
import { parseBody } from '../rest/validation.js';
import {
  type CreateWebhookBody,
  type NewWebhookInput,
  type PutWebhookBody,
  type UpdateWebhookBody,
  webhookBodies,
} from './dto/webhook-body.js';

/** Validates bodies whose rules depend on the known event kinds and on where a webhook may point. */
@Injectable()
export class WebhookSchemas {
  private readonly bodies: ReturnType<typeof webhookBodies>;

  constructor(
    kinds: EventKinds,
    @Inject(URL_JUDGE) private readonly judge: UrlJudge,
  ) {
    this.bodies = webhookBodies(kinds.field(), (url) => judge.faultOfForm(url));
  }

  createOrDelete(body: unknown): CreateOrDelete<CreateWebhookBody> {
    return createOrDelete(this.bodies.create, body);
  }

  /** Creating or updating then judges the address. @throws Problem 400 */
  put(body: unknown): PutWebhookBody {
    return parseBody(this.bodies.put, body);
  }

  /** @throws Problem 400, also for an address that may not be reached. */
  async create(input: unknown): Promise<NewWebhookInput> {
    const checked = parseBody(this.bodies.input, input);
    await this.checkAddresses(checked.url);
    return checked;
  }

  /** @throws Problem 400, also for an address that may not be reached. */
  async update(body: unknown): Promise<UpdateWebhookBody> {
    const checked = parseBody(this.bodies.update, body);
    if (checked.url !== undefined) await this.checkAddresses(checked.url);
    return checked;
  }

  private async checkAddresses(url: string): Promise<void> {
    const message = await this.judge.faultOfAddresses(url);
    if (message !== null) throw invalid([{ pointer: '/url', message }]);
  }
}
