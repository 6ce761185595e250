import type { Abstract, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { ApiKeyService } from '../../src/auth/api-key.service.js';
import type { Scope } from '../../src/platform/access/scope.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { createApp } from '../../src/service/create-app.js';
import { ADMIN_KEY, type Answer, type CallOptions, call } from './call.js';

export { ADMIN_KEY, type Answer, type CallOptions, call };

// biome-ignore lint/suspicious/noExplicitAny: tests read rows of every table
type Row = any;
type InjectionToken<T> = Type<T> | Abstract<T>;

/** The service running in this process, called over real HTTP. */
export interface TestService {
  app: NestFastifyApplication;
  url: string;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Creates an API key. */
  keyFor(userId: string, ...scopes: Scope[]): Promise<string>;
  /** What the service itself uses, whatever module provides it. */
  get<T>(token: InjectionToken<T>): T;
  /** What the service's database answers; `?` stands for each value. */
  query<T = Row>(sql: string, values?: unknown[]): Promise<T[]>;
  /** Stops the service once; a second call waits for the first. */
  stop(): Promise<void>;
}

/** @param env environment variables that differ from the defaults. */
export async function startService(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<TestService> {
  const config = loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    ...env,
  });
  const app = await createApp(config);
  const get: TestService['get'] = (token) => app.get(token, { strict: false });
  const keys = get(ApiKeyService);
  await keys.bootstrap(ADMIN_KEY);
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  let stopped: Promise<void> | undefined;
  return {
    app,
    url,
    call: (method, path, body, options) => call(url + path, method, body, options),
    async keyFor(userId, ...scopes) {
      const { key } = await keys.create({ userId, scopes });
      return key;
    },
    get,
    query: (sql, values) => get(DataSource).query(sql, values),
    stop: () => {
      stopped ??= app.close();
      return stopped;
    },
  };
}
