import fc from 'fast-check';
import { bodyFor, bytesOf, type FuzzBody } from './body.js';
import { type FuzzOperation, operations } from './document.js';
import { bodyType, credentials, extraHeaders } from './headers.js';
import { mostly } from './json.js';
import { queryFor } from './query.js';
import type { WireRequest } from './wire.js';

/** A generated request. Its `~names~` stand for objects that exist or have existed. */
export interface FuzzRequest {
  operation: FuzzOperation;
  method: string;
  path: string;
  query: string;
  headers: string[];
  body: FuzzBody | null;
  chunked: boolean;
}

/** Paths that the document does not describe. */
const BESIDE = ['/health/live', '/health/ready', '/metrics', '/docs/openapi.json'].map(
  (path): FuzzOperation => ({
    name: path,
    method: 'GET',
    path,
    query: [],
    body: null,
    scope: null,
    statuses: [],
  }),
);
const ODD_METHODS = [
  'HEAD',
  'PUT',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'DELETE',
  'POST',
  'GET',
  'PATCH',
];
const OTHER_METHODS = ['get', 'CONNECT', 'NONSENSE', 'GE\u0000T'];
const ODD_PATHS: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/v1', '/v1/'),
  (path) => path.replace('/v1', '/v2'),
  (path) => `${path}/../list`,
  (path) => `${path}%2f`,
  (path) => `${path}/%zz`,
  (path) => `${path}/%00`,
  (path) => path.replace('webhook', '%77ebhook'),
  (path) => `${path};a=b`,
  (path) => `http://elsewhere${path}`,
  (path) => `${path}\\..\\x`,
  (path) => `${path}\u00fc`,
  () => '*',
  () => '/__proto__/constructor',
  (path) => path + '/a'.repeat(5000),
  (path) => `${path}/${'a'.repeat(20_000)}`,
];

/** Generates requests to every path of the service. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...operations.map((operation) => ({ arbitrary: requestTo(operation), weight: 20 })),
  ...BESIDE.map((operation) => ({ arbitrary: requestTo(operation), weight: 1 })),
);

function requestTo(operation: FuzzOperation): fc.Arbitrary<FuzzRequest> {
  const oddMethod = mostly(fc.constantFrom(...ODD_METHODS), fc.constantFrom(...OTHER_METHODS), 6);
  const oddPath = fc.constantFrom(...ODD_PATHS).map((change) => change(operation.path));
  return fc
    .record({
      method: mostly(fc.constant(operation.method), oddMethod, 40),
      path: mostly(fc.constant(operation.path), oddPath, 40),
      query: queryFor(operation),
      type: bodyType,
      credentials,
      extra: extraHeaders,
      body: bodyFor(operation),
      chunked: mostly(fc.constant(false), fc.constant(true), 10),
    })
    .map(({ type, credentials, extra, ...request }) => ({
      ...request,
      operation,
      headers: [...credentials, ...(request.body ? type : []), ...extra],
    }));
}

/** Encodes a request as bytes. @param names the values of its `~names~`. */
export function toWire(request: FuzzRequest, names: Map<string, string>): WireRequest {
  const named = (text: string) => text.replace(/~([a-z]+\d?)~/g, (all, name) => names.get(name) ?? all);
  const body = request.body && bytesOf(named(request.body.source), request.body.damage);
  const head = [
    `${request.method} ${named(request.path + request.query)} HTTP/1.1`,
    'Host: fuzz',
    ...request.headers.map(named),
  ];
  if (body && request.chunked) head.push('Transfer-Encoding: chunked');
  else if (body) head.push(`Content-Length: ${body.length}`);
  const text = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return {
    bytes: Buffer.concat([text, ...(body && request.chunked ? chunksOf(body) : [body ?? Buffer.alloc(0)])]),
    hasNoBody: request.method === 'HEAD',
    // A stream goes on, so nothing behind it would be answered.
    isAlone:
      !isPlain(head) ||
      request.method === 'CONNECT' ||
      (body?.length ?? 0) > 100_000 ||
      request.path.endsWith('/stream'),
  };
}

function chunksOf(body: Buffer): Buffer[] {
  const middle = Math.floor(body.length / 2);
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

/** False if no request may follow: bad syntax ends the connection, and Node reads nothing after an upgrade. */
function isPlain(head: string[]): boolean {
  const [line = '', ...headers] = head;
  if (headers.some((header) => header.startsWith('Upgrade:'))) return false;
  const isLarge = head.reduce((sum, { length }) => sum + length, 0) > 8000;
  const isOdd = headers.some((header) => !/^[!#-'*+.^-z|~\w-]+: ?[\t\x20-\x7e\x80-\xff]*$/.test(header));
  return !isLarge && !isOdd && /^[A-Z]+ [!"$-~]+ HTTP/.test(line);
}
