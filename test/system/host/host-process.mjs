/**
 * An application that embeds the built module, in its own process. `POST /orders?id=&how=` reports an event, and answers
 * 201 once the module has confirmed that it is stored. SIGTERM ends it, as with any application.
 */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { NotifierService, WebhookModule, WebhookService, webhookDatabase } from '../../../dist/src/index.js';

const { ADAPTER, DATABASE_URL, RECEIVER_URL, FROZEN } = process.env;
if (FROZEN) {
  // TypeORM loads it late, and it cannot be loaded after that.
  await import('mysql2');
  Object.freeze(Object.prototype);
}

class HostModule {}
Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRootAsync(webhookDatabase(DATABASE_URL)),
    WebhookModule.forRoot({
      encryptionKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      egress: { allowPrivateNetwork: true },
    }),
  ],
})(HostModule);

const adapter = ADAPTER === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
const app = await NestFactory.create(HostModule, adapter, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
const emitter = app.get(EventEmitter2);
const notifier = app.get(NotifierService, { strict: false });
const dataSource = app.get(DataSource);

const REPORTS = {
  emit: (event) => emitter.emitAsync('record.finished', event),
  notify: (event) => notifier.notify('record.finished', event),
  transaction: (event) =>
    dataSource.transaction((manager) => notifier.notify('record.finished', event, { manager })),
};

adapter.post('/orders', async ({ query }, response) => {
  try {
    await REPORTS[query.how]({ user_id: 'acme', record: { id: query.id, analysis: [] } });
    adapter.reply(response, { id: query.id }, 201);
  } catch (error) {
    adapter.reply(response, { message: error.message }, 500);
  }
});

await app.listen(0, '127.0.0.1');
await app.get(WebhookService, { strict: false }).create('acme', {
  name: 'slow',
  url: RECEIVER_URL,
  events: ['RECORD_FINISHED'],
});
console.log(`listening on ${new URL(await app.getUrl()).port}`);
