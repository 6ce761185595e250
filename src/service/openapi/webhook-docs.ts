import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { EventKinds } from '../../event/event-kinds.js';
import { outgoingRequest } from './outgoing-request.js';

/**
 * Adds the requests that webhooks receive to an OpenAPI document, under `webhooks`: one for each event kind, including
 * the application's own. Needs OpenAPI 3.1 (section 4.8.1): call `setOpenAPIVersion('3.1.0')`.
 */
export function addWebhookDocs(app: INestApplicationContext, document: OpenAPIObject): OpenAPIObject {
  const kinds = app.get(EventKinds, { strict: false }).list();
  const webhooks = kinds.map(({ kind, definition }) => [kind, outgoingRequest(kind, definition)]);
  return {
    ...document,
    webhooks: { ...document.webhooks, ...Object.fromEntries(webhooks) },
  } as OpenAPIObject;
}
