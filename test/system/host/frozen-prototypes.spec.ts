import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';

const PROGRAM = join(import.meta.dirname, 'host-process.mjs');

// Not in Jest, which cannot work without assigning to what Object.prototype has.
describe.each(databases)('a host that froze Object.prototype, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  it.each(['Express', 'Fastify'])('sends as any other, with %s', async (adapter) => {
    const env = { ADAPTER: adapter, DATABASE_URL: database.url, RECEIVER_URL: receiver.url, FROZEN: 'yes' };
    const host = spawn(process.execPath, [PROGRAM], { env: { PATH: process.env.PATH, ...env } });
    database.defer(() => host.kill('SIGKILL'));
    let said = '';
    for (const stream of [host.stdout, host.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    const [line] = await Promise.race([once(host.stdout, 'data'), once(host, 'exit')]);
    expect(`${line}${said}`).toMatch(/^listening on/);
    const [, port] = /on (\d+)/.exec(String(line)) ?? [];
    for (const how of ['emit', 'notify', 'transaction']) {
      const answer = await fetch(`http://127.0.0.1:${port}/orders?id=${how}&how=${how}`, { method: 'POST' });
      expect(answer.status).toBe(201);
    }
    const sent = await receiver.waitFor(3);
    expect(sent.map(({ body }) => JSON.parse(String(body)).data.id).sort()).toEqual([
      'emit',
      'notify',
      'transaction',
    ]);
    host.kill('SIGTERM');
    expect(await once(host, 'exit')).toEqual([null, 'SIGTERM']);
    expect(said).not.toMatch(/error/i);
  });
});
