import { createRequire } from 'node:module';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { report, seconds, someOf, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';

const NOTIFICATIONS = whole(2000, 300);

describe.each(someOf(databases))('a trigger that cannot be sent, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.on(database, { processes: [{ RETRY_SCHEDULE_SECONDS: '0.2,0.2' }] });
  });

  /** Changes the database while no process runs. */
  async function change(sql: string, parameter: string): Promise<void> {
    if (kind.name === 'SQLite') {
      const Connection = createRequire(import.meta.url)('sqlite-driver');
      const connection = new Connection(database.url.slice('sqlite:'.length));
      connection.prepare(sql).run(parameter);
      connection.close();
      return;
    }
    const connection = await createConnection(database.url);
    await connection.query(sql, [parameter]);
    await connection.end();
  }

  it(
    'fails alone and delays nothing else',
    async () => {
      const { service, receiver, load } = stage;
      await service.end('SIGTERM');
      // The triggers are due but must not be sent before their rows are damaged.
      await service.start({ ROLE: 'api' });
      const user = newUser();
      const { id: webhookId } = await createWebhook(service, {
        user_id: user,
        url: `${receiver.url}/poisoned`,
      });
      const { body: unsigned } = await notify(service, user);
      const other = newUser();
      await createWebhook(service, { user_id: other, url: `${receiver.url}/poisoned` });
      const { body: gone } = await notify(service, other);
      await service.end('SIGTERM');
      await change(`UPDATE webhook SET sealed_secret = 'test.AAAA' WHERE id = ?`, webhookId);
      await change('DELETE FROM webhook_notification WHERE id = ?', gone.id);

      await service.start();
      load.start();
      await until(() => load.accepted.size >= NOTIFICATIONS, { withinMs: 120_000, what: 'load' });
      const pauseMs = receiver.longestPauseMs;
      await stage.settle();
      for (const { triggers } of [unsigned, gone]) {
        const found = await service.call('GET', `/v1/webhook/trigger?id=${triggers[0].id}`);
        expect(found).toMatchObject({
          status: 200,
          body: {
            status: 'FAILED',
            error: { code: 'internal', message: expect.stringMatching(/\w/) },
          },
        });
      }
      const figures = stage.figures();
      report(`10 poisoned rows, ${kind.name}`, { ...figures, 'longest pause': seconds(pauseMs) });
      expect(receiver.counts.has(`/poisoned ${unsigned.id}`)).toBe(false);
      expect(figures.duplicates).toBe(0);
    },
    whole(300_000, 90_000),
  );
});
