import fc from 'fast-check';
import { type Operation, operations, type Schema } from '../../support/operations.js';
import { utf8 } from './body.js';
import { oddSource, type Source, sourceOf } from './json.js';
import { type FuzzRequest, requestTo } from './request.js';

const KIB = 1024;
const HEAD_BYTES = 15 * KIB;
const MANAGEMENT_BYTES = 250 * KIB;
const NOTIFICATION_BYTES = 1000 * KIB;
/** Below this, nothing is slow. */
const LEAST_BYTES = 4 * KIB;

/** What is repeated in a header or a query. */
export const TEXT_PARTS = [
  ' ',
  '\t',
  ';',
  '; ',
  ' ;',
  ',',
  ' , ',
  '=',
  '"',
  '"a", ',
  'W/"',
  ':',
  '.',
  '0',
  '%25',
  '%ff',
  '&',
  '/',
];
/** Those that the service, or what it is built on, reads. */
export const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'origin',
  'range',
  'sec-fetch-site',
  'traceparent',
  'webhook-hops',
  'x-forwarded-for',
  'x-forwarded-proto',
];
const BEGINS = ['', 'http://', 'https://a.', 'http://[::', 'whsec_', 'whk_', '$', '-----BEGIN ', '2026-11-'];
const KEYS: ((n: number) => string)[] = [
  () => 'a',
  (n) => n.toString(36),
  (n) => String(n),
  (n) => `a.${n}.b`,
  (n) => `$${['or', 'not', 'in', 'gt', 'exists', 'elemMatch'][n % 6]}`,
  (n) => `X-${n}`,
  (n) => String(n).padEnd(500, 'k'),
  () => '__proto__',
];
const BRACKETS = [
  ['[', ']'],
  ['{"a":', '}'],
  ['{"$not":', '}'],
  ['{"$and":[', ']}'],
  ['[{"id":', '}]'],
];

const { constantFrom, tuple } = fc;
const repeated = (bytes: number, part: string) => part.repeat(bytes / part.length);
const sizeUpTo = (most: number) => constantFrom(1, 2, 4, 8, 16, 32).map((part) => most / part);
const textPart = fc.oneof(
  constantFrom(...TEXT_PARTS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
);

const text = (bytes: number): Source =>
  tuple(constantFrom(...BEGINS), textPart, constantFrom('', '!', 'x')).map(([begin, part, end]) =>
    JSON.stringify(begin + repeated(bytes, part) + end),
  );
const list = (bytes: number): Source =>
  oddSource.map((element) => `[${repeated(bytes, `${element},`)}${element}]`);
const object = (bytes: number): Source =>
  tuple(constantFrom(...KEYS), oddSource).map(([key, value]) => {
    const count = Math.ceil(bytes / (key(1000).length + value.length + 4));
    return `{${Array.from({ length: count }, (_, n) => `"${key(n)}":${value}`)}}`;
  });
const digits = (bytes: number): Source =>
  tuple(constantFrom('', '-', '0.', '1e', '1e-'), constantFrom('1', '9', '10')).map(
    ([begin, part]) => begin + repeated(bytes, part),
  );
const nested = (bytes: number): Source =>
  tuple(constantFrom(8, 60, 3000), constantFrom(...BRACKETS)).map(([depth, [open = '', close = '']]) => {
    const tree = `${open.repeat(depth)}0${close.repeat(depth)}`;
    return `[${repeated(bytes, `${tree},`)}${tree}]`;
  });

/** A value that is as expensive to look at as its size allows. */
const costlyValue = (most: number): Source =>
  sizeUpTo(most).chain((bytes) =>
    fc.oneof(...[text, list, object, digits, nested].map((shape) => shape(bytes))),
  );

const costlyText = sizeUpTo(HEAD_BYTES).chain((bytes) =>
  tuple(constantFrom('', 'x', 'gzip', 'Bearer ', '"', 'W/"', 'a='), constantFrom(...TEXT_PARTS)).map(
    ([begin, part]) => `${begin}${repeated(bytes, part)}x`,
  ),
);

/** Requests to every operation, of which one part is built to be slow. */
export const costlyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...operations.flatMap((operation) => [
    { arbitrary: withHeader(operation), weight: 1 },
    ...(operation.query.length > 0 ? [{ arbitrary: withQuery(operation), weight: 1 }] : []),
    ...(operation.body ? [{ arbitrary: withBody(operation, operation.body), weight: 3 }] : []),
  ]),
);

function withHeader(operation: Operation): fc.Arbitrary<FuzzRequest> {
  return tuple(requestTo(operation), constantFrom(...HEADERS), costlyText).map(([request, name, text]) => {
    const others = request.headers.filter((header) => !header.toLowerCase().startsWith(name));
    return { ...request, headers: [...others, `${name}: ${text}`] };
  });
}

function withQuery(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const names = operation.query.map(({ name }) => name);
  return tuple(requestTo(operation), constantFrom(...names), costlyText).map(([request, name, text]) => ({
    ...request,
    query: `?${name}=${encodeURIComponent(text).slice(0, HEAD_BYTES)}`,
  }));
}

function withBody(operation: Operation, schema: Schema): fc.Arbitrary<FuzzRequest> {
  const { path } = operation;
  const most = path.endsWith('/v1/notification') ? NOTIFICATION_BYTES : MANAGEMENT_BYTES;
  const source = sourceOf(schema, path, '', costlyValue(most)).filter(({ length }) => length > LEAST_BYTES);
  return tuple(requestTo(operation), source).map(([request, source]) => ({
    ...request,
    body: { source, encode: utf8 },
  }));
}
