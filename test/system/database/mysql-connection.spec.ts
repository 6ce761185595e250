import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { type WebhookDatabaseOptions, webhookDatabase } from '../../../src/index.js';
import { createTestDatabase } from '../../../src/module/testing/index.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { LocalServer } from '../../support/local-server.js';
import { until } from '../../support/until.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';
import { ENCRYPTION_KEYS, production, spawnService, startProcess } from '../support/process.js';

const CERTS = new URL('../../support/certs/', import.meta.url);
const certificate = new URL('valid.cert.pem', CERTS);
const key = new URL('valid.key.pem', CERTS);

/** Opens a data source as `TypeOrmModule.forRootAsync` does. */
async function open(url: string, options: WebhookDatabaseOptions): Promise<DataSource> {
  const { useFactory, dataSourceFactory } = webhookDatabase(url, { migrationsRun: false, ...options });
  return dataSourceFactory?.((await useFactory?.()) as DataSourceOptions) as Promise<DataSource>;
}

(hasMariadb ? describe : describe.skip)('a database server with a self-signed certificate', () => {
  const ca = readFileSync(certificate);
  let mariadb: PrivateMariadb;
  let port: string;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({}, [
      `--ssl-cert=${certificate.pathname}`,
      `--ssl-key=${key.pathname}`,
    ]);
    port = new URL(mariadb.url).port;
  }, 90_000);
  afterAll(() => mariadb?.close());

  /** The cipher of the connection; empty without TLS. */
  async function cipher(host: string, options: WebhookDatabaseOptions, search = ''): Promise<string> {
    const dataSource = await open(`mariadb://root@${host}:${port}/torture${search}`, options);
    try {
      const [row] = await dataSource.query(`SHOW STATUS LIKE 'Ssl_cipher'`);
      return row.Value;
    } finally {
      await dataSource.destroy();
    }
  }

  /** Connects to the server under any name. */
  const stream = () => connect(Number(port), '127.0.0.1');

  it('is reached over TLS when its certificate is given as ca', async () => {
    expect(await cipher('localhost', { ssl: { ca } })).toMatch(/^TLS_/);
    expect(await cipher('localhost', { ssl: { ca, maxVersion: 'TLSv1.2' } })).toMatch(/^ECDHE-/);
  });

  it('is reached with what the URL says in its options', async () => {
    const given = (search: string) => cipher('localhost', {}, search);
    expect(await given(`?ssl_ca=${certificate.pathname}`)).toMatch(/^TLS_/);
    expect(await cipher('127.0.0.1', {}, `?ssl_ca=${certificate.pathname}&ssl=verify-ca`)).toMatch(/^TLS_/);
    expect(await given('?ssl=false')).toBe('');
    await expect(given('?ssl=true')).rejects.toThrow(/self-signed certificate/);
    await expect(given('?ssl=verify-ca')).rejects.toThrow(/self-signed certificate/);
  });

  it('is reached without TLS when nobody asks for it', async () => {
    expect(await cipher('localhost', {})).toBe('');
    expect(await cipher('localhost', { ssl: false })).toBe('');
  });

  it('is refused when the certificate is not given', async () => {
    await expect(cipher('localhost', { ssl: true })).rejects.toThrow(/self-signed certificate/);
    await expect(cipher('localhost', { ssl: {} })).rejects.toThrow(/self-signed certificate/);
  });

  it('is refused under a name that is not in its certificate', async () => {
    const options = { extra: { stream } };
    expect(await cipher('receiver.test', { ssl: { ca }, ...options })).toMatch(/^TLS_/);
    await expect(cipher('db.example', { ssl: { ca }, ...options })).rejects.toThrow(/db\.example/);
  });

  it('is reached under any name or address, and with any certificate, on request', async () => {
    const anyName = { ca, verifyIdentity: false };
    expect(await cipher('db.example', { ssl: anyName, extra: { stream } })).toMatch(/^TLS_/);
    expect(await cipher('127.0.0.1', { ssl: anyName })).toMatch(/^TLS_/);
    expect(await cipher('127.0.0.1', { ssl: { rejectUnauthorized: false } })).toMatch(/^TLS_/);
  });
});

(hasMariadb ? describe : describe.skip)('a database server that demands TLS', () => {
  const env = { ENCRYPTION_KEYS };
  const migrate = new URL('../../../dist/service/bundle/migrate.cjs', import.meta.url).pathname;
  let mariadb: PrivateMariadb;
  let url: string;
  let withCa: string;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({}, [
      `--ssl-cert=${certificate.pathname}`,
      `--ssl-key=${key.pathname}`,
    ]);
    await mariadb.query(`CREATE USER app IDENTIFIED BY 'hunter2' REQUIRE SSL`);
    await mariadb.query('GRANT ALL ON *.* TO app');
    url = `mysql://app:hunter2@localhost:${new URL(mariadb.url).port}/torture`;
    withCa = `${url}?ssl_ca=${certificate.pathname}`;
  }, 90_000);
  afterAll(() => mariadb?.close());

  const run = (given: string) =>
    promisify(execFile)(process.execPath, [migrate, 'run'], { env: { ...process.env, DATABASE_URL: given } });

  it('is reached by the migration and the service with ssl_ca in the URL', async () => {
    await expect(run(url)).rejects.toMatchObject({ stderr: expect.stringContaining('Access denied') });
    await expect(run(`${url}?ssl=true`)).rejects.toMatchObject({
      stderr: expect.stringContaining('self-signed certificate'),
    });
    expect((await run(withCa)).stdout).toContain('applied CreateWebhook');
    const service = await startProcess({ ...production, ...env, DATABASE_URL: withCa });
    expect(await service.call('GET', '/v1/webhook/list')).toMatchObject({ status: 200 });
    expect(service.output).not.toContain('hunter2');
    await service.end('SIGTERM');
  });

  it('is refused by a service whose file of authorities is not there', async () => {
    const service = await spawnService({ ...env, DATABASE_URL: `${url}?ssl_ca=/no/such/ca.pem` });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toMatch(
      /^The configuration is not valid:\n {2}DATABASE_URL: has in ssl_ca the file \/no\/such\/ca\.pem, which cannot be read/,
    );
    expect(service.output).not.toContain('hunter2');
  });

  it('is reached by webhookDatabase and test databases with ssl_ca in the URL', async () => {
    const dataSource = await open(withCa, { connectionLimit: 1 });
    expect(await dataSource.query(`SHOW STATUS LIKE 'Ssl_cipher'`)).toMatchObject([
      { Value: expect.stringMatching(/^TLS_/) },
    ]);
    await dataSource.destroy();
    const test = await createTestDatabase(withCa);
    const placed = await open(test.url, {});
    await placed.destroy();
    await test.drop();
  });
});

describeOnMariadb('connections to $name', (kind) => {
  const database = useDatabase(kind);

  it('are no more than the limit, and refuse those that would wait beyond theirs', async () => {
    const dataSource = await open(`${database.url}?connection_limit=2`, { waitingLimit: 1 });
    database.defer(() => dataSource.destroy());
    const [held, other] = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
    await held.query('SELECT 1');
    await other.query('SELECT 1');
    const waiting = dataSource.query<{ third: string }[]>('SELECT 3 AS third');
    await expect(dataSource.query('SELECT 4')).rejects.toThrow('Queue limit reached');
    await held.release();
    expect(Number((await waiting)[0]?.third)).toBe(3);
    await other.release();
  });

  it('are given up when the server does not answer within the time to connect', async () => {
    const silent = new LocalServer(createServer());
    await silent.listen();
    database.defer(() => silent.close());
    const url = `mysql://root@127.0.0.1:${silent.port}/x`;
    await expect(open(url, { connectTimeoutMs: 100 })).rejects.toThrow('ETIMEDOUT');
    await expect(open(`${url}?connect_timeout_ms=100`, {})).rejects.toThrow('ETIMEDOUT');
    await until(() => silent.openConnections === 0, { what: 'the connection to be closed' });
  });
});
