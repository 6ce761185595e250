import { beforeAll, beforeEach } from '@jest/globals';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { TestDatabaseKind } from '../support/databases.js';
import { type DatabaseFixture, type Lifetime, useDatabase } from '../support/fixture.js';
import { type Host, type HostOptions, hostDataSource, startHost } from '../support/host.js';

export interface HostFixture extends Host {
  readonly database: DatabaseFixture;
}

export interface UseHostOptions extends Omit<HostOptions, 'database'> {
  /** @param url URL of the database. @default a data source that the host creates itself */
  dataSource?: (url: string) => DynamicModule;
  /** @default block */
  lifetime?: Lifetime;
}

/** An application on a new database. The returned values are available once hooks and tests run. */
export function useHost(
  kind: TestDatabaseKind,
  {
    dataSource = (url) => TypeOrmModule.forRoot(hostDataSource(url)),
    lifetime = 'block',
    ...more
  }: UseHostOptions,
): HostFixture {
  const database = useDatabase(kind, lifetime);
  let host: Host | undefined;
  const running = (): Host => {
    if (!host) throw new Error('The host is there only in hooks and tests');
    return host;
  };
  const before = { block: beforeAll, test: beforeEach };
  before[lifetime](async () => {
    const started = await startHost({ ...more, database: dataSource(database.url) });
    host = started;
    database.defer(() => started.app.close());
  });
  return {
    database,
    get app(): INestApplication {
      return running().app;
    },
    call: (...call) => running().call(...call),
  };
}
