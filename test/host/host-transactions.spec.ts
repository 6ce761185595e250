import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntityManager, EntitySchema, Like } from 'typeorm';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { type Clock, NotifierService, WebhookService, webhookDatabase } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { betterSqlite3 } from '../support/host.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

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

describe.each(databases)("inside the host's transactions on $name", (kind) => {
  const receiver = useReceiver();
  let dataSource: DataSource;
  let notifier: NotifierService;

  const host = useHost(kind, {
    dataSource: (url) => TypeOrmModule.forRootAsync(webhookDatabase(url, { entities: [Invoice] })),
    webhooks: webhookModule({ routes: false, clock: withoutTimers }),
  });

  beforeAll(async () => {
    dataSource = host.get(DataSource);
    notifier = host.get(NotifierService);
    await dataSource.query('CREATE TABLE invoice (id VARCHAR(40) PRIMARY KEY)');
  });

  const subscribe = (user: string) => {
    const webhook = { name: 'w', url: `${receiver.url}/${user}`, events: ['RECORD_FINISHED' as const] };
    return host.get(WebhookService).create(user, webhook);
  };
  const deliveredIds = (user: string): string[] =>
    receiver.at(`/${user}`).map(({ body }) => JSON.parse(body.toString()).data.id);
  const delivered = (user: string, count: number) =>
    receiver.waitFor(() => deliveredIds(user).length >= count);
  const invoicesOf = (user: string) => dataSource.getRepository(Invoice).findBy({ id: Like(`${user}:%`) });
  const recordOf = (id: string) => ({ user_id: id.split(':')[0] as string, record: { id, analysis: [] } });

  async function pay(id: string, commit: boolean): Promise<void> {
    const work = dataSource.transaction(async (manager) => {
      await manager.insert(Invoice, { id });
      await notifier.notify('record.finished', recordOf(id), { manager });
      if (!commit) throw new Error('rolled back');
    });
    await (commit ? work : expect(work).rejects.toThrow('rolled back'));
  }

  it('wakes the queue at the outermost commit, and drops notifications rolled back to a savepoint', async () => {
    await subscribe('nested');
    const woken = jest.fn();
    host.get(QueueSignals).subscribe({ due: woken });
    await dataSource.transaction(async (outer) => {
      await outer.transaction(async (inner) => {
        await notifier.notify('record.finished', recordOf('nested:kept'), { manager: inner });
      });
      const lost = outer.transaction(async (inner) => {
        await notifier.notify('record.finished', recordOf('nested:lost'), { manager: inner });
        throw new Error('taken back');
      });
      await expect(lost).rejects.toThrow('taken back');
      expect(woken).not.toHaveBeenCalled();
    });
    await delivered('nested', 1);
    await notifier.notify('record.finished', recordOf('nested:after'));
    await delivered('nested', 2);
    expect(deliveredIds('nested')).toEqual(['nested:kept', 'nested:after']);
  });

  it('delivers exactly the committed ones of many transactions, at once', async () => {
    await subscribe('many');
    const ids = Array.from({ length: 40 }, (_, index) => `many:${index}`);
    await Promise.all(ids.map((id, index) => pay(id, index % 2 === 0)));
    await pay('many:after', true);
    const committed = [...ids.filter((_, index) => index % 2 === 0), 'many:after'].sort();
    await delivered('many', committed.length);
    expect(deliveredIds('many').sort()).toEqual(committed);
    expect(await invoicesOf('many')).toHaveLength(committed.length);
  });

  it('stores nothing by a manager that is in no transaction, so that a rollback takes back everything', async () => {
    await subscribe('strays');
    const strays: [id: string, of: (manager: EntityManager) => EntityManager][] = [
      ['strays:own', () => dataSource.manager],
      ['strays:injected', () => host.get(EntityManager)],
      ['strays:repository', () => dataSource.getRepository(Invoice).manager],
    ];
    for (const [id, of] of strays) {
      const work = dataSource.transaction(async (manager) => {
        await manager.insert(Invoice, { id });
        await notifier.notify('record.finished', recordOf(id), { manager: of(manager) });
      });
      await expect(work).rejects.toThrow('The manager is in no transaction, so nothing was stored');
    }
    await notifier.notify('record.finished', recordOf('strays:after'));
    await delivered('strays', 1);
    expect(deliveredIds('strays')).toEqual(['strays:after']);
    expect(await invoicesOf('strays')).toEqual([]);
  });

  it('stores nothing by a call that its transaction does not wait for', async () => {
    await subscribe('forgotten');
    let forgotten: Promise<unknown> = Promise.resolve();
    await dataSource.transaction(async (manager) => {
      await manager.insert(Invoice, { id: 'forgotten:1' });
      forgotten = notifier.notify('record.finished', recordOf('forgotten:1'), { manager });
      forgotten.catch(() => {});
    });
    await expect(forgotten).rejects.toThrow();
    await notifier.notify('record.finished', recordOf('forgotten:after'));
    await delivered('forgotten', 1);
    expect(deliveredIds('forgotten')).toEqual(['forgotten:after']);
  });

  it('has room for a call that its transaction does not wait for, and for those of others meanwhile', async () => {
    await subscribe('beside');
    const beside: Promise<unknown>[] = [];
    const open = dataSource.transaction(async (manager) => {
      beside.push(notifier.notify('record.finished', recordOf('beside:1')));
      await manager.insert(Invoice, { id: 'beside:1' });
    });
    beside.push(open, notifier.notify('record.finished', recordOf('beside:2')));
    await Promise.all(beside);
    await delivered('beside', 2);
  });

  it('refuses the manager of another data source', async () => {
    const options = { type: 'better-sqlite3', driver: betterSqlite3, database: ':memory:' } as const;
    const other = await new DataSource(options).initialize();
    const stray = other.transaction((manager) =>
      notifier.notify('record.finished', recordOf('stray:1'), { manager }),
    );
    await expect(stray).rejects.toThrow('another data source');
    await other.destroy();
  });
});
