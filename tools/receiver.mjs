// A receiver to try webhooks with: prints what arrives and checks its signature. Plain Node, nothing to install.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const HELP = `Usage: npm run receiver -- [options]

  --port PORT         listen on 127.0.0.1:PORT (default 4000; 0 picks a free one)
  --secret whsec_...  check signatures with this secret (default: the variable WEBHOOK_SECRET)
  --fail N            answer the first N requests with 500
  --status CODE       answer with this status, 200 to 599 (default 200)
  --retry-after S     send Retry-After: S (seconds) with every answer that is not 2xx
  --delay MS          wait so long before each answer
  --help              show this
`;

/** Seconds by which a timestamp may be off before the request counts as replayed. */
const TOLERANCE_S = 5 * 60;

const options = readOptions(process.argv.slice(2));
const key = options.secret && Buffer.from(options.secret.slice('whsec_'.length), 'base64');
let count = 0;

const server = createServer(async (request, response) => {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return; // The sender hung up; there is nobody to answer.
  }
  const body = Buffer.concat(chunks);
  count += 1;
  const status = count <= options.fail ? 500 : options.status;
  report(request, body, status);
  setTimeout(() => {
    const isSuccess = status < 300;
    response.writeHead(
      status,
      options.retryAfter !== null && !isSuccess ? { 'Retry-After': options.retryAfter } : {},
    );
    response.end();
  }, options.delay);
});

server.on('error', (error) => exit(1, `Cannot listen on 127.0.0.1:${options.port}: ${error.message}`));
server.listen(options.port, '127.0.0.1', () => {
  console.log(`Receiving on http://127.0.0.1:${server.address().port} (Ctrl-C to stop)`);
  if (!key) console.log('Signatures are not checked: give the secret with --secret or WEBHOOK_SECRET.');
});
process.on('SIGINT', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));

function report({ method, url, headers }, body, status) {
  const { 'webhook-id': id = '-', 'webhook-attempt': attempt = '-' } = headers;
  let payload = null;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch {
    // Not JSON: printed below as it is.
  }
  const fault = key ? faultOfSignature(headers, body) : null;
  const verdict = key ? (fault === null ? 'verified' : `NOT verified (${fault})`) : 'signature not checked';
  const kind = payload?.event_kind ?? '-';
  const time = new Date().toISOString();
  const line = `${time} ${method} ${url} ${verdict} webhook-id=${id} attempt=${attempt} event_kind=${kind} -> ${status}`;
  console.log(`\n${harmless(line)}`);
  // Print the text that was sent and signed: formatting would round large numbers. Further lines are indented, so none
  // can look like a report.
  console.log(harmless(body.toString('utf8'), /[\t\n]/).replaceAll('\n', '\n  '));
}

/**
 * Keeps the sender from controlling the terminal: control characters, and characters that are invisible or change the
 * writing direction, are escaped as in JSON, except those that are `meant`.
 */
function harmless(text, meant = /(?!)/) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (one) => (meant.test(one) ? one : escaped(one)));
}

function escaped(character) {
  const units = [...Array(character.length).keys()].map((index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * One of the space-separated signatures must be `v1,` + base64 of the HMAC-SHA256 of `id.timestamp.body`, and the
 * timestamp must be recent. Source: Standard Webhooks, "Signature scheme" and "Verifying webhook authenticity".
 */
function faultOfSignature(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures)
    return 'a webhook-id, webhook-timestamp or webhook-signature header is missing';
  if (!/^\d+$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds';
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) return 'the signature does not match: another secret, or the body was changed';
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  return age > TOLERANCE_S ? `the timestamp is ${Math.round(age)} s off` : null;
}

function readOptions(args) {
  const values = parse(args);
  if (values.help) exit(0, HELP);
  const secret = values.secret ?? (process.env.WEBHOOK_SECRET || null);
  if (secret !== null && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) {
    exit(2, 'The secret must be whsec_ followed by base64.');
  }
  return {
    secret,
    port: number(values, 'port', 4000, 0, 65535),
    fail: number(values, 'fail', 0, 0, 1e9),
    delay: number(values, 'delay', 0, 0, 3_600_000),
    status: number(values, 'status', 200, 200, 599),
    retryAfter: values['retry-after'] === undefined ? null : number(values, 'retry-after', 0, 0, 1e9),
  };
}

function parse(args) {
  const text = { type: 'string' };
  const known = { port: text, secret: text, fail: text, status: text, 'retry-after': text, delay: text };
  try {
    return parseArgs({ args, options: { ...known, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    return exit(2, `${error.message}\n\n${HELP}`);
  }
}

function number(values, name, fallback, min, max) {
  const text = values[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    exit(2, `--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

function exit(code, message) {
  (code === 0 ? console.log : console.error)(message);
  process.exit(code);
}
