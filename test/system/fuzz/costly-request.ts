import fc from 'fast-check';
import { pem } from '../../support/certs/pem.js';
import { costlyKey } from './costly-key.js';
import { costlyText, costlyValue } from './costly-value.js';
import { type FuzzOperation, operations, type Schema } from './document.js';
import { sourceOf } from './json.js';
import { Random } from './random.js';

/** A request with one part that is built to be slow. Its `~names~` stand for objects that exist. */
export interface CostlyRequest {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

const KIB = 1024;
const HEAD_BYTES = 15 * KIB;
const MANAGEMENT_BYTES = 250 * KIB;
const NOTIFICATION_BYTES = 1000 * KIB;
/** As PEM a third longer, which has to be at most 8,192 characters. */
const KEY_BYTES = 6000;
const CERTIFICATE = pem('client.cert');
const HEADERS = [
  ...['accept', 'accept-encoding', 'authorization', 'content-type', 'cookie', 'forwarded', 'idempotency-key'],
  ...['if-match', 'if-none-match', 'last-event-id', 'origin', 'range', 'traceparent', 'webhook-hops'],
  ...['x-forwarded-for', 'sec-fetch-site', 'user-agent', 'referer'],
];
const FILES = [
  '/',
  '/console/',
  '/console/icon.svg',
  '/docs',
  '/docs/openapi.json',
  '/health/ready',
  '/metrics',
];
/** Stands where the expensive value goes. */
const HOLE = '~hole~';
const READ = 'Bearer ~readkey~';
const ADMIN = 'Bearer ~adminkey~';

/** The request with this number: of every operation and file in turn, in a place and of a size that the number chooses. */
export function costlyRequest(number: number): CostlyRequest {
  const random = new Random(number);
  const targets = operations.length + FILES.length + 1;
  const operation = operations[number % targets];
  if (number % targets === targets - 1) return withKey(random);
  if (!operation) return toFile(FILES[(number % targets) - operations.length] as string, random);
  const places = [
    ...(operation.body ? [inBody, inBody, inBody] : []),
    ...(operation.query.length > 0 ? [inQuery] : []),
    inHeader,
  ];
  return random.of(places)(operation, number, random);
}

function toFile(path: string, random: Random): CostlyRequest {
  const request = { name: path, method: random.of(['GET', 'HEAD']), path, headers: {}, body: null };
  const text = costlyText(sizeUpTo(HEAD_BYTES, random), random);
  if (random.next() < 0.3)
    return { ...request, path: `${path}?${encodeURIComponent(text).slice(0, HEAD_BYTES)}` };
  return { ...request, headers: { [random.of(HEADERS)]: text } };
}

/** Even a key that is not stored is read, for a webhook that need not exist. */
function withKey(random: Random): CostlyRequest {
  const tls = { client_certificate: CERTIFICATE, client_key: costlyKey(sizeUpTo(KEY_BYTES, random), random) };
  const body = JSON.stringify({ name: 'x', url: 'https://a.example/', user_id: '~user~', tls });
  return {
    name: 'a client key',
    method: 'POST',
    path: '/v1/webhook',
    headers: { authorization: ADMIN },
    body,
  };
}

function inHeader(operation: FuzzOperation, number: number, random: Random): CostlyRequest {
  const usual = usualRequest(operation, number);
  const text = costlyText(sizeUpTo(HEAD_BYTES, random), random);
  return { ...usual, headers: { ...usual.headers, [random.of(HEADERS)]: text } };
}

function inQuery(operation: FuzzOperation, number: number, random: Random): CostlyRequest {
  const usual = usualRequest(operation, number);
  const { name } = random.of(operation.query);
  const value = encodeURIComponent(costlyText(sizeUpTo(HEAD_BYTES, random), random));
  return { ...usual, path: `${operation.path}?${name}=${value.slice(0, HEAD_BYTES)}` };
}

function inBody(operation: FuzzOperation, number: number, random: Random): CostlyRequest {
  const usual = usualRequest(operation, number);
  const most = operation.path.endsWith('/v1/notification') ? NOTIFICATION_BYTES : MANAGEMENT_BYTES;
  const value = costlyValue(sizeUpTo(most, random), random);
  const place = random.of(placesIn(operation.body as Schema));
  const body = withHole(JSON.parse(usual.body ?? '{}'), place);
  return { ...usual, body: JSON.stringify(body)?.replace(JSON.stringify(HOLE), () => value) ?? value };
}

/** A request as one would send it. */
function usualRequest(operation: FuzzOperation, number: number): CostlyRequest {
  const { method, path, query, body } = operation;
  const sample = (schema: Schema, name?: string) =>
    fc.sample(sourceOf(schema, path, name), { seed: number, numRuns: 1 })[0] as string;
  const needed = query
    .filter(({ required, name }) => required || name === 'id')
    .map(
      ({ name, schema }) =>
        `${name}=${encodeURIComponent(textOf(parsedOr(sample(schema, name), 'x')).toWellFormed())}`,
    );
  return {
    name: operation.name,
    method,
    path: needed.length > 0 ? `${path}?${needed.join('&').replaceAll('%7E', '~')}` : path,
    headers: { authorization: number % 3 === 0 ? READ : ADMIN },
    body: body && JSON.stringify(parsedOr(sample(body), {})),
  };
}

/** An object may have a `toString` of its own. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Odd values may be no JSON, or nested too deeply to be written again. */
function parsedOr(source: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(JSON.parse(source)));
  } catch {
    return otherwise;
  }
}

/** Sizes double, up to `most`. */
const sizeUpTo = (most: number, random: Random) => most / 2 ** Math.floor(random.next() * 6);

/** Where a body may hold something: paths of names and indexes, the whole body among them. */
function placesIn(schema: Schema, depth = 0): (string | number)[][] {
  const below = [
    ...Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, inner] as const),
    ...(schema.items ? [[0, schema.items] as const] : []),
  ].flatMap(([name, inner]) => placesIn(inner, depth + 1).map((place) => [name, ...place]));
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const own = depth > 3 ? [] : [...below, ...alternatives.flatMap((one) => placesIn(one, depth))];
  return [[], ...own];
}

function withHole(value: unknown, [first, ...rest]: (string | number)[]): unknown {
  if (first === undefined) return HOLE;
  if (typeof first === 'number') return [withHole(undefined, rest)];
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...object, [first]: withHole((object as Record<string, unknown>)[first], rest) };
}
