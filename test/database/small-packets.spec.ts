import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { StatisticAdding } from '../../src/engine/counts/adding.js';
import { deltasOf } from '../../src/engine/counts/delta.js';
import { NotifierService, StatisticsService } from '../../src/index.js';
import { Database } from '../../src/store/database.js';
import { limitStatements } from '../../src/store/mysql/statement-size.js';
import { expectProblem } from '../support/api.js';
import { describeOnMariadb } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, type Json, newUser, notify, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const KIB = 1024;
const LIMIT = 512 * KIB;

describeOnMariadb('a database that takes half a mebibyte at a time', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let user: string;

  beforeAll(async () => {
    limitStatements(service.get(DataSource), LIMIT);
    user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
  });

  const ofSize = (bytes: number) => ({ record: { ...record, text: 'x'.repeat(bytes) } });
  const allDelivered = async (answers: { status: number; body: Json }[]) => {
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect((await finished(service, body.triggers[0].id)).status).toBe('SUCCEEDED');
    }
  };

  it('refuses what it can never store, and stores what is reported beside it', async () => {
    const reports = Array.from({ length: 20 }, (_, index) =>
      notify(service, user, index % 5 === 2 ? ofSize(300 * KIB) : {}),
    );
    const answers = await Promise.all(reports);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(4);
    for (const answer of refused) {
      expectProblem(answer, 413, 'body_too_large');
      expect(answer.body.detail).toMatch(
        /the server takes 524288 \(max_allowed_packet\).*Nothing was stored/,
      );
    }
    await allDelivered(answers.filter(({ status }) => status === 202));
  });

  it('stores in several statements what comes at once and fits by itself', async () => {
    const reports = Array.from({ length: 10 }, () => notify(service, user, ofSize(200 * KIB)));
    await allDelivered(await Promise.all(reports));
  });

  it('refuses it also where nobody is told of it', async () => {
    const nobody = newUser();
    const [large, small] = await Promise.all([
      notify(service, nobody, ofSize(300 * KIB)),
      notify(service, nobody),
    ]);
    expectProblem(large, 413, 'body_too_large');
    expect(small.status).toBe(202);
    expectProblem(await notify(service, nobody, ofSize(300 * KIB)), 413, 'body_too_large');
  });

  it('refuses it in a transaction of the application as well, which can go on', async () => {
    const report = (text: string) => ({ user_id: user, record: { ...record, text } });
    const accepted = await service.get(DataSource).transaction(async (manager) => {
      const notify = (text: string) =>
        service.get(NotifierService).notify('record.finished', report(text), { manager });
      await expect(notify('x'.repeat(300 * KIB))).rejects.toMatchObject({
        status: 413,
        code: 'body_too_large',
      });
      return notify('small');
    });
    expect((await finished(service, accepted.triggers[0]?.id ?? '')).status).toBe('SUCCEEDED');
  });

  it('keeps what receivers answer at once, as much as that is', async () => {
    // Each quote has three characters before it once it is JSON in JSON in a statement.
    receiver.respondWith({ body: '"'.repeat(16 * KIB) });
    const answers = await Promise.all(Array.from({ length: 40 }, () => notify(service, user)));
    await allDelivered(answers);
    for (const { body } of answers) {
      const { attempts } = await finished(service, body.triggers[0].id);
      expect(attempts[0].response_data.body).toHaveLength(16 * KIB);
    }
  });

  it('adds statistics up, in as many statements as it takes', async () => {
    const dataSource = service.get(DataSource);
    limitStatements(dataSource, 64 * KIB);
    const [owner, now] = [newUser(), Date.now()];
    const webhookIds = Array.from({ length: 20 }, () => randomUUID());
    const attempts = webhookIds.flatMap((webhookId) =>
      Array.from({ length: 200 }, (_, index) => ({
        ...{ userId: owner, webhookId, eventKind: 'RECORD_FINISHED', exhausted: false },
        ...{ beginAt: now - index * 50, endAt: now, outcome: String(400 + index) },
      })),
    );
    const database = service.get(Database);
    const adding = service.get(StatisticAdding);
    // Rows that are there already are changed in one statement.
    for (const list of [attempts, attempts]) {
      await database.transaction((manager) => database.insertMany(manager, deltasOf([list])));
      await until(async () => {
        await adding.addSome();
        return (await service.query('SELECT id FROM webhook_statistic_delta')).length === 0;
      });
    }
    limitStatements(dataSource, LIMIT);
    const { total } = await service.get(StatisticsService).find(null, { userId: owner, step: 'hour' });
    expect(total.attempts).toBe(2 * attempts.length);
  });
});
