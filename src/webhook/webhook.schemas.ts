import { Inject, Injectable } from '@nestjs/common';
import { URL_JUDGE, type UrlJudge } from '../egress/url-judge.js';
import { EventKinds } from '../event/event-kinds.js';
import { type CreateOrDelete, createOrDelete } from '../rest/create-or-delete.js';
import { parseBody } from '../rest/validation.js';
import { type CreateWebhookBody, type UpdateWebhookBody, webhookBodies } from './dto/webhook-body.js';

/** Reads the bodies whose rules depend on the kinds known and on where a webhook may point. */
@Injectable()
export class WebhookSchemas {
  private readonly bodies: ReturnType<typeof webhookBodies>;

  constructor(kinds: EventKinds, @Inject(URL_JUDGE) judge: UrlJudge) {
    this.bodies = webhookBodies(kinds.field(), (url) => judge.faultOfForm(url));
  }

  createOrDelete(body: unknown): CreateOrDelete<CreateWebhookBody> {
    return createOrDelete(this.bodies.create, body);
  }

  create(body: unknown): CreateWebhookBody {
    return parseBody(this.bodies.create, body);
  }

  update(body: unknown): UpdateWebhookBody {
    return parseBody(this.bodies.update, body);
  }
}
