import type { DataSource } from 'typeorm';
import {
  addTransactionalDataSource,
  initializeTransactionalContext,
  runInTransaction,
  StorageDriver,
} from 'typeorm-transactional';
import { plain, type Surroundings } from './around.js';

initializeTransactionalContext({ storageDriver: StorageDriver.ASYNC_LOCAL_STORAGE });

/** Transactions that follow the asynchronous context. */
export const surroundings: Surroundings = {
  ...plain,
  database: (options) => ({
    ...options,
    dataSourceFactory: async (made) =>
      addTransactionalDataSource((await options.dataSourceFactory?.(made)) as DataSource),
  }),
  inTransaction: (dataSource, work) => runInTransaction(() => work(dataSource.manager)),
};
