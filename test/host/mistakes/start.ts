import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { type TypeOrmDataSourceFactory, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { webhookDatabase } from '../../../src/index.js';
import { HOST_KEYS } from '../../support/host.js';

export type Imported = DynamicModule | Type;

/** Options without a mistake, of a process that sends nothing. */
export const valid = { encryptionKeys: HOST_KEYS, role: 'api' } as const;

/** Data sources that a failed start left open. Nest closes those of a running application only. */
const opened: Promise<DataSource>[] = [];

/** A database in memory. */
export function memory(name?: string): DynamicModule {
  const options = webhookDatabase('sqlite::memory:', name === undefined ? {} : { name });
  const make = options.dataSourceFactory as TypeOrmDataSourceFactory;
  return TypeOrmModule.forRootAsync({
    ...options,
    dataSourceFactory: (given) => {
      const making = make(given);
      opened.push(making);
      return making;
    },
  });
}

/** Starts an application, and closes it if it does start. */
export async function start(...imports: Imported[]): Promise<void> {
  const module = { module: class HostModule {}, imports: [EventEmitterModule.forRoot(), ...imports] };
  try {
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    await app.close();
  } finally {
    for (const dataSource of await Promise.all(opened.splice(0))) {
      if (dataSource.isInitialized) await dataSource.destroy();
    }
  }
}
