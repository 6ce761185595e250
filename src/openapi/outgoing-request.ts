import type { EventKind } from '../event/event-kinds.js';

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header' as const,
  required,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header('webhook-id', 'The notification; the same on every attempt', '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42'),
  header('webhook-timestamp', 'Seconds since the Unix epoch, of this attempt', '1795256130'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` + base64 HMAC-SHA256 of `id.timestamp.body`, one for each live secret',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
  header('webhook-attempt', '1, 2, …', '1'),
  header(
    'webhook-hops',
    'How many webhook services the event has come through; send it along with what you report because of it, so that no circle is endless',
    '1',
  ),
  header('traceparent', 'W3C Trace Context, where the report carried one', '00-4bf9…-00f0…-01', false),
];

/** The request that a webhook receives for an event kind, as an OpenAPI path item. */
export function outgoingRequest(kind: string, { description, schema, example }: EventKind) {
  return {
    post: {
      operationId: `receive_${kind}`,
      summary: description,
      description:
        'Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later time with Retry-After.',
      tags: ['Webhook'],
      parameters: HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: { '2XX': { description: 'Received' } },
    },
  };
}
