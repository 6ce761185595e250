import { beforeAll, beforeEach } from '@jest/globals';
import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  type LoggerService,
  type Type,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { TestDatabaseKind } from '../support/databases.js';
import { type DatabaseFixture, type Lifetime, useDatabase } from '../support/fixture.js';
import { type Host, type HostOptions, hostDataSource, startHost } from '../support/host.js';
import { webhookModule } from './application.js';

export const ADAPTERS = ['Express', 'Fastify'] as const;

/** A guard of the application, which it provides. */
@Injectable()
export class NotOnMaintenance implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest().headers['x-maintenance'] === undefined;
  }
}

export interface HostFixture extends Host {
  readonly database: DatabaseFixture;
  /** What the application itself uses, whatever module provides it. */
  get<T>(token: Type<T>): T;
}

export interface UseHostOptions extends Partial<Omit<HostOptions, 'database'>> {
  /** @param url URL of the database. @default a data source that the host creates itself */
  dataSource?: (url: string) => DynamicModule;
  /** @default block */
  lifetime?: Lifetime;
}

/** An application on a new database. The returned values are available once hooks and tests run. */
export function useHost(
  kind: TestDatabaseKind,
  {
    adapter = 'Fastify',
    dataSource = (url) => TypeOrmModule.forRoot(hostDataSource(url)),
    lifetime = 'block',
    webhooks = webhookModule(),
    ...more
  }: UseHostOptions = {},
): HostFixture {
  const database = useDatabase(kind, lifetime);
  let host: Host | undefined;
  const running = (): Host => {
    if (!host) throw new Error('The host is there only in hooks and tests');
    return host;
  };
  const before = { block: beforeAll, test: beforeEach };
  before[lifetime](async () => {
    const started = await startHost({ adapter, webhooks, ...more, database: dataSource(database.url) });
    host = started;
    database.defer(() => started.app.close());
  });
  return {
    database,
    get app(): INestApplication {
      return running().app;
    },
    get url(): string {
      return running().url;
    },
    call: (...call) => running().call(...call),
    get: (token) => running().app.get(token, { strict: false }),
  };
}

/** A logger that prints nothing, and keeps the warnings and errors of a test. */
export class KeptLog implements LoggerService {
  readonly entries: unknown[][] = [];

  log(): void {}
  warn(...entry: unknown[]): void {
    this.entries.push(entry);
  }
  error(...entry: unknown[]): void {
    this.entries.push(entry);
  }
  get messages(): string[] {
    return this.entries.map(([message]) => String(message));
  }
}

/** Call it before {@link useHost}, so that it is empty when a test's own host starts. */
export function useKeptLog(): KeptLog {
  const log = new KeptLog();
  beforeEach(() => {
    log.entries.length = 0;
  });
  return log;
}
