import { afterAll, beforeAll } from '@jest/globals';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions, EntityManager, Repository } from 'typeorm';
import {
  addTransactionalDataSource,
  deleteDataSourceByName,
  initializeTransactionalContext,
  StorageDriver,
} from 'typeorm-transactional';

/** What that package changes for the whole process. */
const PATCHED: [prototype: object, member: string][] = [
  [Repository.prototype, 'manager'],
  [Repository.prototype, 'extend'],
  [EntityManager.prototype, 'getRepository'],
];

/**
 * Lets the transactions of a block's applications follow the asynchronous context, by the package that most of them use. Call it
 * before the application starts.
 *
 * @returns the module of a data source that takes part.
 */
export function useAmbientTransactions(): (
  options: TypeOrmModuleOptions,
) => ReturnType<typeof TypeOrmModule.forRootAsync> {
  const before = PATCHED.map(([prototype, member]) => Object.getOwnPropertyDescriptor(prototype, member));
  beforeAll(() => {
    initializeTransactionalContext({ storageDriver: StorageDriver.ASYNC_LOCAL_STORAGE });
  });
  afterAll(() => {
    deleteDataSourceByName('default');
    for (const [index, [prototype, member]] of PATCHED.entries()) {
      const was = before[index];
      if (was) Object.defineProperty(prototype, member, was);
      else Reflect.deleteProperty(prototype, member);
    }
  });
  return (options) =>
    TypeOrmModule.forRootAsync({
      useFactory: () => options,
      dataSourceFactory: async (given) =>
        addTransactionalDataSource(new DataSource(given as DataSourceOptions)),
    });
}

/**
 * From here on, a data source gives nothing but query runners and what runs on one, as all else of it may belong to a transaction
 * that somebody else has open.
 */
export function giveNoConnection(dataSource: DataSource): void {
  const refuse = (name: string) => {
    throw new Error(`dataSource.${name} was used without a query runner`);
  };
  for (const name of ['query', 'createQueryBuilder'] as const) {
    const run = dataSource[name].bind(dataSource) as (...given: unknown[]) => unknown;
    const value = (...given: unknown[]) =>
      typeof (given.length === 1 ? given[0] : given[2]) === 'object' ? run(...given) : refuse(name);
    Object.defineProperty(dataSource, name, { value });
  }
  for (const name of ['transaction', 'getRepository'])
    Object.defineProperty(dataSource, name, { value: () => refuse(name) });
  // TypeORM asks it for its kind.
  const value = new Proxy(
    {},
    { get: (_, name) => (name === '@instanceof' ? 'EntityManager' : refuse('manager')) },
  );
  Object.defineProperty(dataSource, 'manager', { value });
}
