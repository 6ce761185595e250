import { afterEach } from '@jest/globals';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule, type TypeOrmModuleAsyncOptions } from '@nestjs/typeorm';
import {
  LifecyclePublisher,
  type WebhookDatabaseOptions,
  WebhookService,
  webhookDatabase,
} from '../../../src/index.js';
import {
  createTestDatabase,
  type MockedWebhooks,
  mockWebhooks,
  type TestDatabase,
} from '../../../src/module/testing/index.js';
import { emitter, webhookModule } from '../../host/application.js';

/** An application as its author wrote it: with the URL of the database that all its test files share. */
export const appModule = (url: string, options: WebhookDatabaseOptions = {}): DynamicModule =>
  appModuleOn(webhookDatabase(url, options));

export const appModuleOn = (database: TypeOrmModuleAsyncOptions): DynamicModule => ({
  module: class AppModule {},
  imports: [
    emitter(),
    TypeOrmModule.forRootAsync(database),
    webhookModule({ egress: {}, dataSource: database.name }),
  ],
});

/** A test file of that application, as it runs. */
export interface TestFile {
  app: INestApplication;
  webhooks: MockedWebhooks;
  publish(id: string): Promise<void>;
}

/** Call it in a `describe` block. */
export function useTestFiles() {
  const steps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of steps.splice(0).reverse()) await step();
  });
  return {
    /** Makes a test database that is dropped after the test, once the applications are closed. */
    async database(url: string): Promise<TestDatabase> {
      const database = await createTestDatabase(url);
      steps.push(() => database.drop());
      return database;
    },
    /** Does what a test file does before its tests: starts the application and creates a webhook. */
    async start(module: DynamicModule, database?: TestDatabase): Promise<TestFile> {
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
