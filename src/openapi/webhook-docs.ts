import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { EventKinds } from '../event/event-kinds.js';
import { outgoingRequest } from './outgoing-request.js';

/**
 * Adds to an OpenAPI document the requests that webhooks receive, under `webhooks`: one for each kind of event, those of
 * the application's own among them. (OpenAPI 3.1, 4.8.1; set `setOpenAPIVersion('3.1.0')`.)
 */
export function addWebhookDocs(app: INestApplicationContext, document: OpenAPIObject): OpenAPIObject {
  const kinds = app.get(EventKinds, { strict: false }).list();
  const webhooks = kinds.map(({ kind, definition }) => [kind, outgoingRequest(kind, definition)]);
  return {
    ...document,
    webhooks: { ...document.webhooks, ...Object.fromEntries(webhooks) },
  } as OpenAPIObject;
}
