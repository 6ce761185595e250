import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { refuse } from '../../support/refuse.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { production, type ServiceProcess, startProcessOn } from '../support/process.js';

const FORGED = '[12:00:00.000] INFO: forged';
/** Forges log lines and clears a terminal, with C0 and C1 controls and Unicode's line separators. */
const HOSTILE = `ok\r\n${FORGED}\n{"level":30,"msg":"forged"}\u2028${FORGED}\u001b[2J\u009b2J`;

describe.each(databases)('the log of errors that quote hostile text, on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('test');
  let service: ServiceProcess;

  beforeEach(async () => {
    receiver.respondWith({ body: HOSTILE, headers: { 'x-hostile': 'a\u009bb' } });
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    // An attempt, with the response quoted, a heartbeat, and a change of a webhook.
    await refuse(dataSource, kind, ['INSERT', 'webhook_attempt'], { text: 'NEW.response_body' });
    for (const table of ['webhook_instance', 'webhook'])
      await refuse(dataSource, kind, ['UPDATE', table], { text: `'${HOSTILE}'` });
    await dataSource.destroy();
  });

  /** @returns all lines logged until the errors about the attempt and the heartbeat. */
  async function linesOf(env: Record<string, string>): Promise<string[]> {
    const running = await startProcessOn(database, {
      ...env,
      LOG_LEVEL: 'trace',
      // A process sends nothing once it could not beat for so long; it tries nine times meanwhile.
      INSTANCE_TIMEOUT_SECONDS: '18',
    });
    service = running;
    const user = newUser();
    const url = `${receiver.url}/hooks?token=t0ken`;
    const { id } = await createWebhook(running, { user_id: user, url, name: 'a\u2028b' });
    const changed = await running.call('PATCH', '/v1/webhook', { id, description: 'x' });
    expect(changed.status).toBe(500);
    await notify(running, user, { record: { id: 'r', analysis: [], note: 'pers0nal' } });
    await until(() => running.output.includes('Could not store the result of'));
    await until(() => /"?stack"?:/.test(running.output) && running.output.includes('Heartbeat failed'));
    // A graceful shutdown would wait for results that can never be stored.
    await running.end('SIGKILL');
    // Only the code of a server's error is logged: its text repeats values.
    if (kind.name === 'SQLite') expect(running.output).toContain('forged');
    else expect(running.output).toContain('ER_SIGNAL_EXCEPTION');
    for (const hidden of ['pers0nal', 't0ken', 'whk_']) expect(running.output).not.toContain(hidden);
    return running.output.trimEnd().split('\n');
  }

  it('stays one JSON object per line and leaves out the statement', async () => {
    const lines = (await linesOf(production)).map((line) => JSON.parse(line));
    expect(lines.map(({ msg }) => msg)).not.toContain('forged');
    const errors = lines.filter(({ err }) => err).map(({ err }) => err);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(['type', 'message', 'stack', 'code']).toEqual(expect.arrayContaining(Object.keys(error)));
    }
    expect(service.output).not.toMatch(/(?!\n)[\p{Cc}\u2028]/u);
  });

  it('contains no line break or control character from the receiver in the readable format', async () => {
    const lines = await linesOf({});
    expect(lines.filter((line) => line.startsWith(FORGED) || line.startsWith('{'))).toEqual([]);
    expect(service.output).not.toMatch(/(?!\n)[\p{Cc}\u2028]/u);
  });
});
