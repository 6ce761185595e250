import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { appModule, type TestFile, useTestFiles } from './test-files.js';

describe.each(databases)('two test files on one server, $name', (kind) => {
  const shared = useDatabase(kind);
  const files = useTestFiles();

  async function expectApart(one: TestFile, other: TestFile): Promise<void> {
    one.webhooks.transport.answerWith(({ attempt }) => (attempt === 1 ? 503 : 200));
    await one.publish('rec_one');
    await other.publish('rec_other');
    await one.webhooks.idle(one.app);
    // Now the retry is due by the clock of the other file.
    other.webhooks.clock.advance(10_000);
    await other.webhooks.idle(other.app);
    const ids = ({ webhooks }: TestFile) =>
      webhooks.transport.delivered.map(({ payload }) => payload.data.id);
    expect([ids(one), ids(other)]).toEqual([['rec_one'], ['rec_other']]);
    one.webhooks.clock.advance(10_000);
    await one.webhooks.expectDelivered({ attempt: 2 });
    expect([ids(one), ids(other)]).toEqual([['rec_one', 'rec_one'], ['rec_other']]);
  }

  it('do not send what the other one published, with a test database each', async () => {
    const module = appModule(shared.url);
    const one = await files.start(module, await files.database(shared.url));
    const other = await files.start(module, await files.database(shared.url));
    await expectApart(one, other);
  });

  it('do not even if each has the URL of its test database in place of the shared one', async () => {
    const [first, second] = [await files.database(shared.url), await files.database(shared.url)];
    await expectApart(await files.start(appModule(first.url)), await files.start(appModule(second.url)));
  });

  if (kind.name === 'SQLite') return;

  it('send what the other one published if both use the shared database', async () => {
    const module = appModule(shared.url);
    const one = await files.start(module);
    const other = await files.start(module);
    one.webhooks.transport.answerWith(503);
    await one.publish('rec_one');
    await one.webhooks.idle(one.app);
    other.webhooks.clock.advance(10_000);
    await other.webhooks.expectDelivered({ attempt: 2, data: { id: 'rec_one' } });
  });
});
