import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases, type TestDatabase } from './support/databases.js';
import { type Receiver, startReceiver } from './support/receiver.js';
import { createWebhook, newUser, notify, triggerWhen } from './support/scene.js';
import { startService, type TestService } from './support/service.js';

const REFUSED = 'no such thing';

describe.each(databases)('results on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await kind.create();
    service = await startService(database.url);
    receiver = await startReceiver();
    const refuse =
      kind.name === 'SQLite'
        ? `BEGIN SELECT RAISE(ABORT, 'refused') WHERE NEW.response_body = '${REFUSED}'; END`
        : `FOR EACH ROW IF NEW.response_body = '${REFUSED}' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF`;
    await service.app
      .get(DataSource)
      .query(`CREATE TRIGGER refuse BEFORE INSERT ON webhook_attempt ${refuse}`);
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
    await database.drop();
  });

  it('that the database does not take keep no others from being stored, and are tried again', async () => {
    const user = newUser();
    for (const path of ['fine', 'refused', 'fine-too'])
      await createWebhook(service, user, `${receiver.url}/${path}`);
    // Together, so that they are stored in one batch.
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.respondWith([({ path }) => ({ body: path === '/refused' ? REFUSED : 'ok', after: promise })]);
    const { body } = await notify(service, user);
    await receiver.waitFor(3);
    resolve();
    const refused = receiver.requests.findIndex(({ path }) => path === '/refused');
    expect(refused).toBeGreaterThanOrEqual(0);
    const [fine, again, fineToo] = body.triggers.map(({ id }: { id: string }) => id);
    for (const id of [fine, fineToo])
      await triggerWhen(service, id, ({ status, response_data }) => status === 'SUCCEEDED' && response_data);
    const waiting = await triggerWhen(service, again, ({ status }) => status === 'PENDING');
    expect(waiting).toMatchObject({ attempt_count: 0, attempts: [], response_data: null });
    // Not at once: what is wrong may stay so for long.
    expect(Date.parse(waiting.next_attempt_at)).toBeGreaterThan(Date.now() + 5000);
  });
});
