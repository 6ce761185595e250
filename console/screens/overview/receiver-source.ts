/** A receiver to begin with: it needs nothing but Node, and answers 2xx to what is signed with the secret. */
export const RECEIVER = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  response.writeHead(isGenuine(request.headers, body) ? 204 : 401).end();
  console.log(request.headers['webhook-id'], body.toString());
}).listen(4000, () => console.log('Receiving on http://localhost:4000'));

function isGenuine(headers, body) {
  if (key.length === 0) return true; // Nothing is checked until WEBHOOK_SECRET is set.
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const hmac = createHmac('sha256', key).update(\`\${headers['webhook-id']}.\${timestamp}.\`).update(body);
  const expected = Buffer.from(\`v1,\${hmac.digest('base64')}\`);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .map((text) => Buffer.from(text))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
`;
