import fc from 'fast-check';
import { exchange } from '../../egress/exchange.js';
import { type Operation, operations } from '../../support/operations.js';
import { answersIn, type ParsedAnswer } from './answers.js';
import { bodyFor, type FuzzBody } from './body.js';
import { bodyType, credentials, extraHeaders } from './headers.js';
import { mostly } from './json.js';
import { queryFor } from './query.js';

/** A generated request. Its `~names~` stand for objects that exist or have existed. */
export interface FuzzRequest {
  operation: Operation;
  method: string;
  path: string;
  query: string;
  headers: string[];
  body: FuzzBody | null;
  chunked: boolean;
}

/** Paths that the document does not describe. */
const BESIDE = ['/health/live', '/health/ready', '/metrics', '/docs/openapi.json'].map(
  (path): Operation => ({
    name: path,
    method: 'GET',
    path,
    query: [],
    body: null,
    examples: [],
    scope: null,
    statuses: [],
  }),
);
const ODD_METHODS = ['HEAD', 'PUT', 'OPTIONS', 'TRACE', 'QUERY', 'POST', 'GET'];
const OTHER_METHODS = ['get', 'CONNECT', 'NONSENSE', 'GE\u0000T'];
const ODD_PATHS: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/v1', '/v1/'),
  (path) => path.replace('/v1', '/v2'),
  (path) => `${path}/../list`,
  (path) => `${path}/%zz`,
  (path) => `${path}/%00`,
  (path) => path.replace('webhook', '%77ebhook'),
  (path) => `${path};a=b`,
  (path) => `http://elsewhere${path}`,
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

/** Generates mostly valid requests. */
export function requestTo(operation: Operation): fc.Arbitrary<FuzzRequest> {
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

/** Follows a request on its connection, and has to be answered as what it is. */
export const NEXT = Buffer.from('GET /health/live HTTP/1.1\r\nHost: next\r\nConnection: close\r\n\r\n');
/** Longest that a server may be silent. */
export const SILENT_MS = 5000;
/** Bytes that are sent at once, and that a server reads at once. */
const AT_ONCE = 8000;

/** Encodes a request as bytes. @param names the values of its `~names~`. */
export function bytesOf(request: FuzzRequest, names: Map<string, string>): Buffer {
  const named = (text: string) => text.replace(/~([a-z]+\d?)~/g, (all, name) => names.get(name) ?? all);
  const { method, path, query, headers, body, chunked } = request;
  const content = body?.encode(named(body.source));
  const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content?.length}`;
  const head = [`${method} ${named(path + query)} HTTP/1.1`, 'Host: fuzz', ...headers.map(named)];
  if (content) head.push(framing);
  const sent = content && chunked ? chunksOf(content) : [content ?? Buffer.alloc(0)];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...sent]);
}

function chunksOf(body: Buffer): Buffer[] {
  const middle = Math.floor(body.length / 2);
  const parts = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  const chunks = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, CRLF]);
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

const CRLF = Buffer.from('\r\n');

/** Whether another request can follow: a stream goes on, and Node reads nothing after an upgrade. */
export const mayBeFollowed = ({ method, path, headers }: FuzzRequest, bytes: Buffer): boolean =>
  method !== 'CONNECT' &&
  !path.endsWith('/stream') &&
  !headers.some((header) => header.startsWith('Upgrade:')) &&
  bytes.length < AT_ONCE;

/** Sends a request and what follows it. @returns what came until all are answered */
export const send = (url: string, request: FuzzRequest, sent: Buffer[]): Promise<string> =>
  exchange(url, Buffer.concat(sent), {
    isEnough: (received) => answersTo(request, received).length === sent.length,
    silentMs: SILENT_MS,
  });

/** The answers in what came, the first of which is the request's. */
export const answersTo = ({ method }: FuzzRequest, received: string): ParsedAnswer[] =>
  answersIn(received, method === 'HEAD').answers;
