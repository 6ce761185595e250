import type { EventKind } from '../../event/payload-docs.js';

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header' as const,
  required,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header(
    'webhook-id',
    'Id of the notification, the same on every attempt',
    '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42',
  ),
  header('webhook-timestamp', 'When this attempt was made, in seconds since the Unix epoch', '1795256130'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` + base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret in use',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
  header('webhook-attempt', 'Number of the attempt, from 1', '1'),
  header(
    'webhook-hops',
    'Number of webhook services that the event has passed through. Send it along with whatever you report because of the event, so that loops end',
    '1',
  ),
  header('traceparent', 'W3C Trace Context, if the report carried one', '00-4bf9…-00f0…-01', false),
];

/** The request that a webhook receives for an event kind, as an OpenAPI path item. */
export function outgoingRequest(kind: string, { description, schema, example }: EventKind) {
  return {
    post: {
      operationId: `receive_${kind}`,
      summary: description,
      description:
        'Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.',
      tags: ['Webhook'],
      parameters: HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: { '2XX': { description: 'Received' } },
    },
  };
}
