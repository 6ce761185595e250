import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule, webhookDatabase } from '../../../src/index.js';
import { SQLITE } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { HOST_KEYS, hostDataSource, startHost } from '../../support/host.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { startService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { runCommand } from '../support/command.js';
import { ENCRYPTION_KEYS, spawnService, startProcessOn } from '../support/process.js';

const IN_USE =
  /^The database .*test\.sqlite is in use by a process that runs already, .* Stop that one first.*\n$/;

describe('the file of a SQLite database', () => {
  const database = useDatabase(SQLITE, 'test');
  const receiver = useReceiver('test');
  let path: string;

  beforeEach(() => {
    path = database.url.slice('sqlite:'.length);
  });

  const start = () => startProcessOn(database, { ENCRYPTION_KEYS });

  /** Starts a second service on the file. @returns its output. */
  async function refused(url = database.url): Promise<string> {
    const second = await spawnService({ DATABASE_URL: url });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    return second.output;
  }

  const modes = () =>
    readdirSync(dirname(path)).map((name) => [
      name,
      (statSync(join(dirname(path), name)).mode & 0o777).toString(8),
    ]);

  it('belongs to one process: a second one explains why it does not start, and nothing is sent twice', async () => {
    const release = receiver.hold();
    const service = await start();
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const ids = [await trigger(service, user), await trigger(service, user)];
    await receiver.waitFor(2);
    expect(await refused()).toMatch(IN_USE);
    const link = `${path}.link`;
    symlinkSync(path, link);
    expect(await refused(`sqlite:${link}`)).toMatch('is in use');
    release();
    for (const id of ids)
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(receiver.requests).toHaveLength(2);
  });

  it('is free as soon as its process is killed, although the lock file remains', async () => {
    const first = await start();
    await first.end('SIGKILL');
    expect(readdirSync(dirname(path))).toContain('test.sqlite.lock');
    await start();
  });

  it('cannot be migrated while a service uses it, but its migrations can be listed', async () => {
    await start();
    const migration = (name: string) => runCommand('migrate', [name], { DATABASE_URL: database.url });
    for (const name of ['run', 'revert'])
      expect(await migration(name)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(IN_USE),
      });
    const shown = { code: 0, stdout: expect.stringContaining('[X] CreateWebhook'), stderr: '' };
    expect(await migration('show')).toMatchObject(shown);
  });

  it.each([
    ['that the module opens', () => TypeOrmModule.forRootAsync(webhookDatabase(database.url))],
    ['that the application opens', () => TypeOrmModule.forRoot(hostDataSource(database.url))],
  ])('belongs to one application, with a data source %s', async (_which, connected) => {
    const application = () =>
      startHost({
        adapter: 'Fastify',
        database: connected(),
        webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
      });
    const { app } = await application();
    expect(await refused()).toMatch(IN_USE);
    await expect(application()).rejects.toThrow('is in use');
    await app.close();
    const again = await application();
    await again.app.close();
  });

  it('is readable by its owner only, and so are the files beside it', async () => {
    await start();
    expect(modes().sort()).toEqual(
      ['', '-shm', '-wal', '.lock'].map((suffix) => [`test.sqlite${suffix}`, '600']),
    );
  });

  it('becomes private to its owner if others could read it before', async () => {
    const first = await startService(database.url);
    await first.stop();
    writeFileSync(`${path}-wal`, '');
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o644);
    await start();
    expect(new Set(modes().map(([, mode]) => mode))).toEqual(new Set(['600']));
  });
});
