import { beforeAll, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { NotifierService, Problem, WebhookService } from '../../src/index.js';
import { describeOnMariadb } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { hostDataSource } from '../support/host.js';
import { hurry } from '../support/hurry.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

const CONNECTIONS = 3;
const WAY_OUT = 'There was no connection to the database for .*notify\\(name, event, \\{ manager \\}\\)';
/** Once: its own words, and behind them the cause. */
const REFUSED = new RegExp(
  `^The database does not answer at the moment\\. Nothing was stored; try again\\. \\(${WAY_OUT}`,
);

describeOnMariadb('transactions that have every connection of the pool', (kind) => {
  const receiver = useReceiver();
  const host = useHost(kind, {
    dataSource: (url) =>
      TypeOrmModule.forRoot({ ...hostDataSource(url), extra: { connectionLimit: CONNECTIONS } } as object),
    webhooks: webhookModule({ routes: false }),
  });

  const webhook = () => ({ name: 'w', url: `${receiver.url}/ada`, events: ['RECORD_FINISHED' as const] });
  const notify = (id: string, options = {}) =>
    host
      .get(NotifierService)
      .notify('record.finished', { user_id: 'ada', record: { id, analysis: [] } }, options);

  beforeAll(() => host.get(WebhookService).create('ada', webhook()));

  /** Does it in as many transactions as there are connections, each of which has its own by then. @returns how each ended. */
  async function inEach(work: (of: number, manager: EntityManager) => Promise<unknown>) {
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const undo = hurry();
    const ends = await Promise.allSettled(
      Array.from({ length: CONNECTIONS }, (_, of) =>
        host.get(DataSource).transaction(async (manager) => {
          await manager.query('SELECT 1');
          if (++begun === CONNECTIONS) all.resolve();
          await all.promise;
          await work(of, manager);
        }),
      ),
    );
    undo();
    return ends;
  }
  const reasons = (ends: PromiseSettledResult<unknown>[]) =>
    ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));

  it('are told what to do when they wait for a call without their manager, which stores nothing', async () => {
    const ends = await inEach((of) => notify(`without:${of}`));
    const refused = reasons(ends);
    expect(refused).not.toEqual([]);
    for (const problem of refused) {
      expect(problem).toBeInstanceOf(Problem);
      expect(problem).toMatchObject({
        status: 503,
        code: 'database_unavailable',
        message: expect.stringMatching(REFUSED),
      });
    }
    const accepted = ends.flatMap(({ status }, of) => (status === 'fulfilled' ? [`without:${of}`] : []));
    await expectDelivered(accepted, 'without:after');
  });

  it('are told by other services as well', async () => {
    const refused = reasons(await inEach(() => host.get(WebhookService).create('eve', webhook())));
    expect(refused).not.toEqual([]);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'POOL_BUSY', message: expect.stringMatching(`^${WAY_OUT}`) });
  });

  it('go on with their manager', async () => {
    expect(reasons(await inEach((of, manager) => notify(`with:${of}`, { manager })))).toEqual([]);
    await expectDelivered(
      [0, 1, 2].map((of) => `with:${of}`),
      'with:after',
    );
  });

  async function expectDelivered(ids: string[], after: string): Promise<void> {
    await notify(after);
    const [beginning] = after.split(':');
    const delivered = () =>
      receiver.requests
        .map(({ body }) => JSON.parse(body.toString()).data.id as string)
        .filter((id) => id.startsWith(`${beginning}:`));
    await receiver.waitFor(() => delivered().length > ids.length);
    expect(delivered().sort()).toEqual([...ids, after].sort());
  }
});
