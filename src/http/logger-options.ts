import type { Params } from 'nestjs-pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.js';

/** JSON lines in production, readable lines in development; credentials never. */
export function loggerOptions({ environment, logLevel }: Pick<Config, 'environment' | 'logLevel'>): Params {
  const options = {
    level: logLevel,
    autoLogging: false,
    redact: ['req.headers.authorization', 'req.headers.cookie'],
  };
  // Not in a worker thread: lines would come out of order with what is printed plainly.
  const readable = () => pretty({ sync: true, singleLine: true, ignore: 'pid,hostname' });
  return { pinoHttp: environment === 'production' ? options : [options, readable()] };
}
