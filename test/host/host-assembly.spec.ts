import { describe, expect, it } from '@jest/globals';
import { type DynamicModule, type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  WebhookModule,
  type WebhookModuleLateOptions,
  WebhookService,
  webhookDatabase,
} from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { start, valid } from './mistakes/start.js';

const WEBHOOK = { name: 'CRM', url: 'https://crm.example.com/hooks' };

@Injectable()
class Invoices {
  constructor(readonly webhooks: WebhookService) {}
}

@Injectable()
class Orders {
  constructor(readonly webhooks: WebhookService) {}
}

describe.each(databases)('assembling the module on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const other = useDatabase(kind, 'test');

  async function run(
    url: string,
    ...imports: DynamicModule['imports'] & object
  ): Promise<INestApplicationContext> {
    const source = TypeOrmModule.forRootAsync(webhookDatabase(url));
    const app = await NestFactory.createApplicationContext(
      { module: class HostModule {}, imports: [EventEmitterModule.forRoot(), source, ...imports] },
      { logger: false, abortOnError: false },
    );
    return app.init();
  }

  const names = async (app: INestApplicationContext) =>
    (await app.get(WebhookService).list('ada', { limit: 10 })).data.map(({ name }) => name);

  it('gives several modules that import one constant the same services', async () => {
    const webhooks = WebhookModule.forRoot(valid);
    @Module({ imports: [webhooks], providers: [Invoices] })
    class InvoiceModule {}
    @Module({ imports: [webhooks], providers: [Orders] })
    class OrderModule {}
    const app = await run(database.url, webhooks, InvoiceModule, OrderModule);
    database.defer(() => app.close());
    expect(app.get(Invoices).webhooks).toBe(app.get(Orders).webhooks);
  });

  it('gives every module the services when it is global', async () => {
    @Module({ providers: [Invoices] })
    class InvoiceModule {}
    const app = await run(database.url, InvoiceModule, WebhookModule.forRoot({ ...valid, isGlobal: true }));
    database.defer(() => app.close());
    expect(app.get(Invoices).webhooks).toBe(app.get(WebhookService));
  });

  it('allows several applications in a process, at the same time and one after another', async () => {
    const shared = WebhookModule.forRoot(valid);
    const first = await run(database.url, shared);
    const second = await run(other.url, WebhookModule.forRoot(valid));
    await first.get(WebhookService).create('ada', { ...WEBHOOK, name: 'first' });
    await second.get(WebhookService).create('ada', { ...WEBHOOK, name: 'second' });
    expect([await names(first), await names(second)]).toEqual([['first'], ['second']]);
    await first.close();
    const third = await run(database.url, shared);
    expect(await names(third)).toEqual(['first']);
    await second.close();
    await third.close();
  });

  it('ignores structural options that are undefined', async () => {
    const nothing = { prefix: undefined, guards: undefined, routes: undefined, principal: undefined };
    const app = await run(database.url, WebhookModule.forRoot({ ...valid, ...nothing }));
    database.defer(() => app.close());
    expect(await names(app)).toEqual([]);
  });

  it('takes late options from a class, too', async () => {
    class Options {
      create(): WebhookModuleLateOptions {
        return valid;
      }
    }
    const app = await run(database.url, WebhookModule.forRootAsync({ useClass: Options }));
    database.defer(() => app.close());
    expect(await names(app)).toEqual([]);
  });
});

it("fails with the driver's error when the database does not answer", async () => {
  const { useFactory, ...database } = webhookDatabase('mysql://root@127.0.0.1:1/x');
  const once = async () => ({ ...(await useFactory?.()), retryAttempts: 1 });
  const source = () => TypeOrmModule.forRootAsync({ ...database, useFactory: once });
  await expect(start(source(), WebhookModule.forRoot(valid))).rejects.toThrow('ECONNREFUSED');
  await expect(start(WebhookModule.forRoot(valid), source())).rejects.toThrow('ECONNREFUSED');
});
