import type { Params } from 'nestjs-pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.js';

/** What could end a line, or steer a terminal, where it is printed as it is. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const escapeOf = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const escaped = (text: string) => text.replace(UNSAFE, escapeOf);

const escapedLines = (text: string) => text.split('\n').map(escaped).join('\n');

/** JSON lines in production, readable lines in development; credentials never, and a message is always one line. */
export function loggerOptions({ environment, logLevel }: Pick<Config, 'environment' | 'logLevel'>): Params {
  const options = {
    level: logLevel,
    autoLogging: false,
    serializers: { req: shownRequest, err: shownError },
  };
  // Not in a worker thread: lines would come out of order with what is printed plainly.
  const readable = () =>
    pretty({
      sync: true,
      singleLine: true,
      ignore: 'pid,hostname',
      messageFormat: (log, key) => escaped(String(log[key] ?? '')),
    });
  // JSON leaves some of them as they are.
  const safe = { ...options, hooks: { streamWrite: escapedLines } };
  return { pinoHttp: environment === 'production' ? safe : [options, readable()] };
}

/** Enough to find it again. Its headers and its query may hold credentials. */
function shownRequest({ id, method, url }: { id: unknown; method: string; url?: string }) {
  return { id, method, path: url?.split('?', 1)[0] };
}

/** A database's error also has its statement, with all that was to be stored. */
function shownError({ type, message, stack, code }: ErrorLike) {
  return { type, message: message && escaped(message), stack: stack && escapedLines(stack), code };
}

interface ErrorLike {
  type?: string;
  message?: string;
  stack?: string;
  code?: unknown;
}
