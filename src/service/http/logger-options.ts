import type { Params } from 'nestjs-pino';
import type { ServiceConfig } from '../../platform/config/service-config.js';
import { printable } from '../../platform/printable.js';

const escapedLines = (text: string) => text.split('\n').map(printable).join('\n');

/** JSON lines in production, readable lines in development. Never credentials, and always one line per message. */
export async function loggerOptions({
  environment,
  logLevel,
}: Pick<ServiceConfig, 'environment' | 'logLevel'>): Promise<Params> {
  const options = {
    level: logLevel,
    autoLogging: false,
    serializers: { req: shownRequest, err: shownError },
  };
  // JSON escapes only some of these characters.
  if (environment === 'production') return { pinoHttp: { ...options, hooks: { streamWrite: escapedLines } } };
  const { default: pretty } = await import('pino-pretty');
  // In a worker thread, these lines would come out of order with those of console.log.
  const readable = pretty({
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    messageFormat: (log, key) => printable(String(log[key] ?? '')),
  });
  return { pinoHttp: [options, readable] };
}

/** Enough to identify the request. Its headers and its query may hold credentials. */
function shownRequest({ id, method, url }: { id: unknown; method: string; url?: string }) {
  return { id, method, path: url?.split('?', 1)[0] };
}

/** A database's error also holds the statement, with all the data that it was to store. */
function shownError({ type, message, stack, code }: ErrorLike) {
  return { type, message: message && printable(message), stack: stack && escapedLines(stack), code };
}

interface ErrorLike {
  type?: string;
  message?: string;
  stack?: string;
  code?: unknown;
}
