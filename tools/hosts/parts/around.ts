import type { DynamicModule, Provider } from '@nestjs/common';
import type { TypeOrmModuleAsyncOptions } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

/** What stands around the webhooks in an application. */
export interface Surroundings {
  imports: DynamicModule[];
  providers: Provider[];
  database(options: TypeOrmModuleAsyncOptions): TypeOrmModuleAsyncOptions;
  inTransaction(dataSource: DataSource, work: (manager: EntityManager) => Promise<void>): Promise<void>;
  /** For whom the application works at the moment, as far as it keeps that. */
  context(): string;
  /** Is called when everything has been loaded. */
  prepare(): void;
}

export const plain: Surroundings = {
  imports: [],
  providers: [],
  database: (options) => options,
  inTransaction: (dataSource, work) => dataSource.transaction(work),
  context: () => 'nobody',
  prepare: () => {},
};
