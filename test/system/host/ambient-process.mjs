/**
 * An application whose transactions follow the asynchronous context, as its own process. Twenty contexts at once report events in a
 * transaction, which they commit or take back, and outside of one, until they have made `ROUNDS` each. A line for each says what
 * has become of it, once that is known, and one at the end that all has been delivered.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import {
  addTransactionalDataSource,
  initializeTransactionalContext,
  runInTransaction,
} from 'typeorm-transactional';
import { NotifierService, WebhookModule, WebhookService, webhookDatabase } from '../../../dist/src/index.js';

const { DATABASE_URL, RECEIVER_URL, RUN, ROUNDS } = process.env;
const CONTEXTS = 20;

const Invoice = new EntitySchema({
  name: 'invoice',
  columns: { id: { type: 'varchar', length: 40, primary: true } },
});

initializeTransactionalContext();
const { dataSourceFactory, ...database } = webhookDatabase(DATABASE_URL, { entities: [Invoice] });

class HostModule {}
Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRootAsync({
      ...database,
      dataSourceFactory: async (options) => addTransactionalDataSource(await dataSourceFactory(options)),
    }),
    WebhookModule.forRoot({
      encryptionKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      egress: { allowPrivateNetwork: true },
    }),
  ],
})(HostModule);

const app = await NestFactory.createApplicationContext(HostModule, { logger: ['error', 'fatal'] });
app.enableShutdownHooks();
const notifier = app.get(NotifierService, { strict: false });
const dataSource = app.get(DataSource);
await dataSource.query('CREATE TABLE IF NOT EXISTS invoice (id VARCHAR(40) PRIMARY KEY)');
const webhooks = app.get(WebhookService, { strict: false });
if (RUN === '1') await webhooks.create('acme', { name: 'w', url: RECEIVER_URL, events: ['RECORD_FINISHED'] });

const notify = (id, options) =>
  notifier.notify('record.finished', { user_id: 'acme', record: { id, analysis: [] } }, options);
const say = (what, id) => process.stdout.write(`${what} ${id}\n`);

async function inTransaction(id, commits) {
  try {
    await runInTransaction(async () => {
      const { manager } = dataSource;
      await manager.insert(Invoice, { id });
      await notify(id, { manager });
      if (!commits) throw new Error('taken back');
    });
    say('committed', id);
  } catch (error) {
    if (error.message !== 'taken back') throw error;
    say('taken-back', id);
  }
}

await Promise.all(
  Array.from({ length: CONTEXTS }, async (_, context) => {
    for (let round = 0; round < Number(ROUNDS); round++) {
      const id = `${RUN}:${context}:${round}`;
      await inTransaction(`${id}:inside`, (context + round) % 3 > 0);
      await notify(`${id}:outside`);
      say('accepted', `${id}:outside`);
    }
  }),
);
// In one statement: between two, a trigger may be claimed, and be in neither list.
const LEFT = "SELECT id FROM webhook_trigger WHERE status IN ('PENDING', 'DELIVERING') LIMIT 1";
while ((await dataSource.query(LEFT)).length > 0) await wait(20);
say('delivered', RUN);
