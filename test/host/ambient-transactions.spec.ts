import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, EntitySchema } from 'typeorm';
import { runInTransaction } from 'typeorm-transactional';
import { NotifierService, TriggerService, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { hostDataSource } from '../support/host.js';
import { until } from '../support/until.js';
import { useAmbientTransactions } from './ambient.js';
import { webhookModule } from './application.js';
import { useHost, useKeptLog } from './use-host.js';

const CONTEXTS = 20;
const ROUNDS = 3;

const Invoice = new EntitySchema<{ id: string }>({
  name: 'invoice',
  columns: { id: { type: 'varchar', length: 40, primary: true } },
});

describe.each(databases)('a host whose transactions follow the context, on $name,', (kind) => {
  const receiver = useReceiver();
  const ambient = useAmbientTransactions();
  const log = useKeptLog();
  const host = useHost(kind, {
    dataSource: (url) => {
      const { entities, ...options } = hostDataSource(url);
      return ambient({ ...options, entities: [...(entities as EntitySchema[]), Invoice] });
    },
    webhooks: webhookModule({ routes: false }),
    logger: log,
  });
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = host.get(DataSource);
    await dataSource.query('CREATE TABLE invoice (id VARCHAR(40) PRIMARY KEY)');
  });

  const subscribe = (user: string) =>
    host.get(WebhookService).create(user, {
      name: 'w',
      url: `${receiver.url}/${user}`,
      events: ['RECORD_FINISHED'],
    });
  const notify = (user: string, id: string, options = {}) =>
    host
      .get(NotifierService)
      .notify('record.finished', { user_id: user, record: { id, analysis: [] } }, options);
  const delivered = (user: string): string[] =>
    receiver.at(`/${user}`).map(({ body }) => JSON.parse(body.toString()).data.id);

  /** Runs work in a transaction of the context, and takes it back or not. */
  async function inTransaction(commit: boolean, work: () => Promise<unknown>): Promise<void> {
    const running = runInTransaction(async () => {
      await work();
      if (!commit) throw new Error('taken back');
    });
    await (commit ? running : expect(running).rejects.toThrow('taken back'));
  }

  it('delivers exactly what was accepted outside of a transaction, or committed inside of one', async () => {
    await subscribe('both');
    const expected: string[] = [];
    let accepted = 0;
    const accept = async (id: string, options = {}) => {
      await notify('both', id, options);
      accepted++;
    };
    await Promise.all(
      Array.from({ length: CONTEXTS }, async (_, context) => {
        for (let round = 0; round < ROUNDS; round++) {
          const id = `${context}:${round}`;
          const commits = (context + round) % 2 === 0;
          expected.push(`${id}:outside`, ...(commits ? [`${id}:inside`] : []));
          await inTransaction(commits, async () => {
            await dataSource.manager.insert(Invoice, { id });
            await accept(`${id}:inside`, { manager: dataSource.manager });
          });
          await accept(`${id}:outside`);
        }
      }),
    );
    expect(accepted).toBe(2 * CONTEXTS * ROUNDS);
    await receiver.waitFor(() => delivered('both').length >= expected.length);
    expect(delivered('both').sort()).toEqual(expected.sort());
    expect(await dataSource.getRepository(Invoice).count()).toBe((CONTEXTS * ROUNDS) / 2);
    expect(log.messages).toEqual([]);
  });

  it('takes back nothing that was done without its manager, and no delivery that began meanwhile', async () => {
    await subscribe('apart');
    const accepted: string[] = [];
    const made: string[] = [];
    const accept = async (id: string) => {
      await notify('apart', id);
      accepted.push(id);
    };
    for (let round = 0; round < ROUNDS; round++) {
      let beside: Promise<void> = Promise.resolve();
      const others: Promise<void>[] = [];
      const inside = inTransaction(false, async () => {
        beside = accept(`${round}:inside`);
        // SQLite has one connection: what its transaction does not wait for comes behind it.
        if (kind.name === 'SQLite') return;
        await beside;
        made.push((await subscribe('made')).id);
      });
      // From outside, in the same batches.
      for (let other = 0; other < 5; other++) others.push(accept(`${round}:${other}`));
      await inside;
      await Promise.all([beside, ...others]);
    }
    const shown = async () => (await host.get(TriggerService).list('apart', { limit: 100 })).data;
    await until(async () => (await shown()).filter(({ end }) => end).length >= accepted.length);
    expect((await shown()).map(({ status }) => status)).toEqual(accepted.map(() => 'SUCCEEDED'));
    expect(delivered('apart').sort()).toEqual(accepted.sort());
    const { data } = await host.get(WebhookService).list('made');
    expect(data.map(({ id }) => id).sort()).toEqual(made.sort());
    expect(log.messages).toEqual([]);
  });
});
