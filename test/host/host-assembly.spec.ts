import { describe, expect, it } from '@jest/globals';
import { type DynamicModule, type INestApplicationContext, Injectable } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule, WebhookService, webhookDatabase } from '../../src/index.js';
import { SQLITE } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { context, start, valid, webhookModule } from './application.js';

const WEBHOOK = { name: 'CRM', url: 'https://crm.example.com/hooks' };

@Injectable()
class Invoices {
  constructor(readonly webhooks: WebhookService) {}
}

@Injectable()
class Orders {
  constructor(readonly webhooks: WebhookService) {}
}

describe('assembling the module', () => {
  const database = useDatabase(SQLITE, 'test');
  const other = useDatabase(SQLITE, 'test');

  async function run(url: string, ...imports: DynamicModule[]): Promise<INestApplicationContext> {
    const app = await context(TypeOrmModule.forRootAsync(webhookDatabase(url)), ...imports);
    database.defer(() => app.close());
    return app.init();
  }

  const names = async (app: INestApplicationContext) =>
    (await app.get(WebhookService).list('ada', { limit: 10 })).data.map(({ name }) => name);

  it('gives several modules that import one constant the same services', async () => {
    const shared = webhookModule(valid);
    const invoices = { module: class InvoiceModule {}, imports: [shared], providers: [Invoices] };
    const orders = { module: class OrderModule {}, imports: [shared], providers: [Orders] };
    const app = await run(database.url, shared, invoices, orders);
    expect(app.get(Invoices).webhooks).toBe(app.get(Orders).webhooks);
  });

  it('gives every module the services when it is global', async () => {
    const invoices = { module: class InvoiceModule {}, providers: [Invoices] };
    const app = await run(database.url, invoices, webhookModule({ ...valid, isGlobal: true }));
    expect(app.get(Invoices).webhooks).toBe(app.get(WebhookService));
  });

  it('allows several applications in a process, at the same time and one after another', async () => {
    const shared = webhookModule(valid);
    const first = await run(database.url, shared);
    const second = await run(other.url, webhookModule(valid));
    await first.get(WebhookService).create('ada', { ...WEBHOOK, name: 'first' });
    await second.get(WebhookService).create('ada', { ...WEBHOOK, name: 'second' });
    expect([await names(first), await names(second)]).toEqual([['first'], ['second']]);
    await first.close();
    const third = await run(database.url, shared);
    expect(await names(third)).toEqual(['first']);
  });

  it('ignores structural options that are undefined', async () => {
    const nothing = { prefix: undefined, guards: undefined, routes: undefined, principal: undefined };
    const app = await run(database.url, WebhookModule.forRoot({ ...valid, ...nothing }));
    expect(await names(app)).toEqual([]);
  });

  it('takes late options from a class, too', async () => {
    class Options {
      create = () => valid;
    }
    const app = await run(database.url, WebhookModule.forRootAsync({ useClass: Options }));
    expect(await names(app)).toEqual([]);
  });
});

it("fails with the driver's error when the database does not answer", async () => {
  const { useFactory, ...database } = webhookDatabase('mysql://root@127.0.0.1:1/x');
  const once = async () => ({ ...(await useFactory?.()), retryAttempts: 1 });
  const source = () => TypeOrmModule.forRootAsync({ ...database, useFactory: once });
  const message = /^connect ECONNREFUSED 127\.0\.0\.1:1$/;
  await expect(start(source(), webhookModule(valid))).rejects.toThrow(message);
  await expect(start(webhookModule(valid), source())).rejects.toThrow(message);
});
