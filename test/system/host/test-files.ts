import { afterEach } from '@jest/globals';
import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule, type TypeOrmModuleAsyncOptions } from '@nestjs/typeorm';
import {
  LifecyclePublisher,
  type WebhookDatabaseOptions,
  WebhookModule,
  WebhookService,
  webhookDatabase,
} from '../../../src/index.js';
import {
  createTestDatabase,
  type MockedWebhooks,
  mockWebhooks,
  type TestDatabase,
} from '../../../src/module/testing/index.js';
import { HOST_KEYS } from '../../support/host.js';

/** An application as its author wrote it: with the URL of the database that all its test files share. */
export const appModule = (url: string, options: WebhookDatabaseOptions = {}): DynamicModule =>
  appModuleOn(webhookDatabase(url, options));

export function appModuleOn(database: TypeOrmModuleAsyncOptions): DynamicModule {
  @Module({})
  class AppModule {}
  const { name: dataSource } = database;
  return {
    module: AppModule,
    imports: [
      EventEmitterModule.forRoot(),
      TypeOrmModule.forRootAsync(database),
      WebhookModule.forRoot({ encryptionKeys: HOST_KEYS, ...(dataSource ? { dataSource } : {}) }),
    ],
  };
}

/** A test file of that application, as it runs. */
export interface TestFile {
  app: INestApplication;
  webhooks: MockedWebhooks;
  publish(id: string): Promise<void>;
}

export interface TestFiles {
  /** Makes a test database that is dropped after the test, once the applications are closed. */
  database(url: string): Promise<TestDatabase>;
  /** Does what a test file does before its tests: starts the application and creates a webhook. */
  start(module: DynamicModule, database?: TestDatabase): Promise<TestFile>;
}

/** Call it in a `describe` block. */
export function useTestFiles(): TestFiles {
  const steps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of steps.splice(0).reverse()) await step();
  });
  return {
    async database(url) {
      const database = await createTestDatabase(url);
      steps.push(() => database.drop());
      return database;
    },
    async start(module, database) {
      const builder = Test.createTestingModule({ imports: [module] });
      const webhooks = mockWebhooks(builder);
      database?.use(builder);
      const app = (await builder.compile()).createNestApplication({ logger: false });
      steps.push(() => app.close());
      await app.init();
      const webhook = { name: 'w', url: 'https://crm.example.com/', events: ['RECORD_FINISHED' as const] };
      await app.get(WebhookService, { strict: false }).create('ada', webhook);
      const publisher = app.get(LifecyclePublisher, { strict: false });
      const publish = (id: string) =>
        publisher.publish('record.finished', { user_id: 'ada', record: { id, analysis: [] } });
      return { app, webhooks, publish };
    },
  };
}
