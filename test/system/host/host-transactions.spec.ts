import { beforeAll, describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema, Like } from 'typeorm';
import {
  type Clock,
  NotifierService,
  WebhookModule,
  WebhookService,
  webhookDatabase,
} from '../../../src/index.js';
import { useHost } from '../../host/use-host.js';
import { databases } from '../../support/databases.js';
import { useReceiver } from '../../support/fixture.js';
import { HOST_KEYS } from '../../support/host.js';
import { type Receiver } from '../../support/receiver.js';

const TRANSACTIONS = 1000;
const AT_ONCE = 8;

/** An entity of the host. */
const Invoice = new EntitySchema<{ id: string }>({
  name: 'invoice',
  columns: { id: { type: 'varchar', length: 40, primary: true } },
});

/** Never calls back: deliveries then start from a signal, never from polling. */
const withoutTimers: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

const deliveredIds = (receiver: Receiver, path: string): string[] =>
  receiver.requests
    .filter((request) => request.path === path)
    .map(({ body }) => JSON.parse(body.toString()).data.id as string);

describe.each(databases)("inside the host's transactions on $name", (kind) => {
  const receiver = useReceiver();
  let dataSource: DataSource;
  let notifier: NotifierService;
  let webhooks: WebhookService;

  const host = useHost(kind, {
    adapter: 'Fastify',
    dataSource: (url) => TypeOrmModule.forRootAsync(webhookDatabase(url, { entities: [Invoice] })),
    webhooks: WebhookModule.forRoot({
      routes: false,
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
      clock: withoutTimers,
    }),
  });

  beforeAll(async () => {
    dataSource = host.app.get(DataSource);
    notifier = host.app.get(NotifierService, { strict: false });
    webhooks = host.app.get(WebhookService, { strict: false });
    await dataSource.query('CREATE TABLE invoice (id VARCHAR(40) PRIMARY KEY)');
  });

  const subscribe = (user: string) =>
    webhooks.create(user, { name: 'w', url: `${receiver.url}/${user}`, events: ['RECORD_FINISHED'] });
  const recordOf = (id: string) => ({ user_id: id.split(':')[0] as string, record: { id, analysis: [] } });

  async function pay(id: string, commit: boolean): Promise<void> {
    const work = dataSource.transaction(async (manager) => {
      await manager.insert(Invoice, { id });
      await notifier.notify('record.finished', recordOf(id), { manager });
      if (!commit) throw new Error('rolled back');
    });
    await (commit ? work : expect(work).rejects.toThrow('rolled back'));
  }

  it(`delivers exactly the committed ones of ${TRANSACTIONS} transactions, at once`, async () => {
    await subscribe('many');
    const ids = Array.from({ length: TRANSACTIONS }, (_, index) => `many:${index}`);
    const rest = ids.entries();
    const worker = async () => {
      for (const [index, id] of rest) await pay(id, index % 2 === 0);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const committed = ids.filter((_, index) => index % 2 === 0);
    await receiver.waitFor(() => deliveredIds(receiver, '/many').length >= committed.length);
    expect(deliveredIds(receiver, '/many').sort()).toEqual(committed.sort());
    const rows = await dataSource.getRepository(Invoice).findBy({ id: Like('many:%') });
    expect(rows).toHaveLength(committed.length);
  });
});
