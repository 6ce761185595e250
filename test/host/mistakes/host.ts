import type { ModuleMetadata } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { WebhookModule, type WebhookModuleOptions } from '../../../src/index.js';
import { HOST_KEYS, hostDataSource } from '../../support/host.js';

type Imports = NonNullable<ModuleMetadata['imports']>;

/** What the log says is not of interest here. */
const SILENT = { log() {}, warn() {}, error() {} };

/** The parts of a host application that makes no mistake. */
export const emitter = () => EventEmitterModule.forRoot();
export const database = (change: object = {}) =>
  TypeOrmModule.forRoot({ ...hostDataSource('sqlite::memory:'), ...change } as TypeOrmModuleOptions);
export const webhooks = (options: Partial<WebhookModuleOptions> & { dataSource?: string } = {}) =>
  WebhookModule.forRoot({ encryptionKeys: HOST_KEYS, ...options });

/** Assembles the application, and hands it over before its start. */
export async function assembled<T>(imports: Imports, use: (app: TestingModule) => T): Promise<Awaited<T>> {
  const app = await Test.createTestingModule({ imports }).setLogger(SILENT).compile();
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

/** Starts the application, and ends it. */
export const started = (...imports: Imports) => assembled(imports, (app) => app.init());

/** Starts the module with these options. */
export const startedWith = (options: Partial<WebhookModuleOptions>) =>
  started(emitter(), database(), webhooks(options));
