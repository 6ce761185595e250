import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import {
  ENCRYPTION_KEYS,
  production,
  type ServiceProcess,
  spawnService,
  startProcessOn,
} from '../support/process.js';

const KEY = /whk_[A-Za-z0-9_-]{43}/g;

describe('starting with an invalid configuration', () => {
  it('reports every invalid setting, without secrets, and exits with 1', async () => {
    const service = await spawnService({
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://user:hunter2@host/db',
      BOOTSTRAP_API_KEY: 'whk_short',
      WEBHOOK_CONCURRENCY: 'many',
    });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    for (const name of ['DATABASE_URL', 'BOOTSTRAP_API_KEY', 'WEBHOOK_CONCURRENCY', 'ENCRYPTION_KEYS']) {
      expect(service.output).toContain(`  ${name}`);
    }
    expect(service.output).not.toMatch(/hunter2|whk_short|at .*\.js/);
  });

  it('says what to do when it cannot bind its address', async () => {
    const service = await spawnService({ HOST: '192.0.2.1', DATABASE_URL: 'sqlite:./test.sqlite' });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toMatch(
      /^Cannot listen on 192\.0\.2\.1, port \d+: .* Set HOST to one that it has/,
    );
  });

  it('says what to do when its database cannot be opened', async () => {
    const reasons = {
      'mysql://root@127.0.0.1:1/none': 'connect ECONNREFUSED 127.0.0.1:1',
      'sqlite:.': 'unable to open database file',
      [`sqlite:${import.meta.filename}`]: 'file is not a database',
      [`sqlite:${import.meta.filename}/webhook.sqlite`]: 'EEXIST: file already exists, mkdir',
    };
    const starts = Object.entries(reasons).map(async ([url, reason]) => {
      const service = await spawnService({ DATABASE_URL: url });
      expect(await service.exited).toEqual({ code: 1, signal: null });
      expect(service.output).toContain(`\nThe database cannot be opened: ${reason}`);
      expect(service.output).toMatch(/\nSee whether it runs, and whether DATABASE_URL is right\.\n$/);
    });
    await Promise.all(starts);
  });
});

describe.each(databases)('starting on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  /** Starts a service that is to become ready. */
  async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await spawnService({ DATABASE_URL: database.url, ENCRYPTION_KEYS, ...env });
    database.defer(() => service.end('SIGKILL'));
    await service.ready();
    return service;
  }

  async function migrate(): Promise<void> {
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    await dataSource.runMigrations();
    await dataSource.destroy();
  }

  it('prints a working first key once', async () => {
    const first = await start();
    const keys = first.output.match(KEY) ?? [];
    expect(keys).toHaveLength(1);
    expect(first.output).toMatch(/┌─+┐[\s\S]*└─+┘/);
    const [key = ''] = keys;
    expect(first.output).toContain(`│ ${key} `);
    expect(first.output).toMatch(new RegExp(`│ ${first.url}/console/#code=[\\w-]{43} `));
    expect(await first.call('GET', '/v1/webhook/list', undefined, { key })).toMatchObject({ status: 200 });
    await first.end('SIGKILL');
    const service = await start();
    expect(service.output.match(KEY)).toBeNull();
    expect(await service.call('GET', '/v1/webhook/list', undefined, { key })).toMatchObject({ status: 200 });
  });

  it('does not make a key anew that was revoked, and says so', async () => {
    const key = `whk_${'r'.repeat(43)}`;
    const first = await start({ BOOTSTRAP_API_KEY: key });
    const list = await first.call('GET', '/v1/api-key/list', undefined, { key });
    await first.call('DELETE', `/v1/api-key?id=${list.body.data[0].id}`, undefined, { key });
    await first.end('SIGKILL');
    const service = await start({ BOOTSTRAP_API_KEY: key });
    expect((await service.call('GET', '/v1/api-key/list', undefined, { key })).status).toBe(401);
    expect(service.output).toContain('The key in BOOTSTRAP_API_KEY was revoked, so it is not made again.');
    expect(service.output.match(KEY)).toBeNull();
  });

  it('changes nothing when its port is taken, and says what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const refused = await spawnService({ DATABASE_URL: database.url, PORT: String(port) });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.output).toBe(
      `Cannot listen on 127.0.0.1, port ${port}: something listens there already. Stop it, or set PORT to another port.\n`,
    );
    taken.close();
    expect((await start()).output.match(KEY)).toHaveLength(1);
  });

  it('logs an attempt in production as one line of JSON, with its details as fields', async () => {
    await migrate();
    const service = await startProcessOn(database, production);
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 500 });
    await trigger(service, user);
    await receiver.waitFor(1);
    await service.end('SIGTERM');
    const lines = service.output.trim().split('\n');
    // A failed attempt is at level info.
    const attempt = {
      level: 30,
      msg: 'attempt',
      attempt: 1,
      response_status: 500,
      error_code: 'http_status',
    };
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining(attempt));
  });

  if (kind.name === 'SQLite') {
    it('migrates automatically, even in production', async () => {
      const service = await startProcessOn(database, production);
      const user = newUser();
      await createWebhook(service, { user_id: user, url: receiver.url });
      expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    });
    return;
  }

  it('refuses an outdated schema in production, and says what to do', async () => {
    const refused = async () => {
      const behind = await spawnService({ ...production, DATABASE_URL: database.url });
      expect(await behind.exited).toEqual({ code: 1, signal: null });
      expect(behind.output).toMatch('npm run migration:run');
      expect(behind.output).not.toMatch(/ER_NO_SUCH_TABLE|at .*\.js/);
    };
    await refused();
    await migrate();
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    await dataSource.undoLastMigration();
    await dataSource.destroy();
    await refused();
  });
});
