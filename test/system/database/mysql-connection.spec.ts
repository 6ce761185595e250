import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { type WebhookDatabaseOptions, webhookDatabase } from '../../../src/index.js';
import { createTestDatabase } from '../../../src/module/testing/index.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { LocalServer } from '../../support/local-server.js';
import { until } from '../../support/until.js';
import { runCommand } from '../support/command.js';
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
  const env = { ENCRYPTION_KEYS };
  let mariadb: PrivateMariadb;
  let port: string;

  beforeAll(async () => {
    const options = [`--ssl-cert=${certificate.pathname}`, `--ssl-key=${key.pathname}`];
    mariadb = await PrivateMariadb.start({}, options);
    port = new URL(mariadb.url).port;
    await mariadb.query(`CREATE USER app IDENTIFIED BY 'hunter2' REQUIRE SSL`);
    await mariadb.query('GRANT ALL ON *.* TO app');
  });
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
  const extra = { stream: () => connect(Number(port), '127.0.0.1') };
  const ssl_ca = `?ssl_ca=${certificate.pathname}`;

  it.each<[when: string, cipher: RegExp, host: string, options: WebhookDatabaseOptions, search?: string]>([
    ['over TLS when its certificate is given', /^TLS_/, 'localhost', { ssl: { ca } }],
    ['over a version that is given', /^ECDHE-/, 'localhost', { ssl: { ca, maxVersion: 'TLSv1.2' } }],
    ['over TLS when the URL gives its certificate', /^TLS_/, 'localhost', {}, ssl_ca],
    ['at an address when the URL asks for no name', /^TLS_/, '127.0.0.1', {}, `${ssl_ca}&ssl=verify-ca`],
    ['under a name that is in its certificate', /^TLS_/, 'receiver.test', { ssl: { ca }, extra }],
    ['under any name on request', /^TLS_/, 'db.example', { ssl: { ca, verifyIdentity: false }, extra }],
    ['at any address on request', /^TLS_/, '127.0.0.1', { ssl: { ca, verifyIdentity: false } }],
    ['with any certificate on request', /^TLS_/, '127.0.0.1', { ssl: { rejectUnauthorized: false } }],
    ['without TLS when nobody asks for it', /^$/, 'localhost', {}],
    ['without TLS when the options say so', /^$/, 'localhost', { ssl: false }],
    ['without TLS when the URL says so', /^$/, 'localhost', {}, '?ssl=false'],
  ])('is reached %s', async (_when, expected, host, options, search = '') => {
    expect(await cipher(host, options, search)).toMatch(expected);
  });

  it.each<[when: string, reason: RegExp, host: string, options: WebhookDatabaseOptions, search?: string]>([
    ['when its certificate is not given', /self-signed certificate/, 'localhost', { ssl: true }],
    ['when no authority is given', /self-signed certificate/, 'localhost', { ssl: {} }],
    ['when the URL does not give it', /self-signed certificate/, 'localhost', {}, '?ssl=true'],
    ['when the URL asks for no name only', /self-signed certificate/, 'localhost', {}, '?ssl=verify-ca'],
    ['under a name that is not in it', /db\.example/, 'db.example', { ssl: { ca }, extra }],
  ])('is refused %s', async (_when, reason, host, options, search = '') => {
    await expect(cipher(host, options, search)).rejects.toThrow(reason);
  });

  describe('that demands TLS', () => {
    const urlWith = (search = '') => `mysql://app:hunter2@localhost:${port}/torture${search}`;
    const run = (search?: string) => runCommand('migrate', ['run'], { DATABASE_URL: urlWith(search) });

    it('is reached by the migration and the service with ssl_ca in the URL', async () => {
      const refused = (reason: string) => ({ code: 1, stderr: expect.stringContaining(reason) });
      expect(await run()).toMatchObject(refused('Access denied'));
      expect(await run('?ssl=true')).toMatchObject(refused('self-signed certificate'));
      expect((await run(ssl_ca)).stdout).toContain('applied CreateWebhook');
      const service = await startProcess({ ...production, ...env, DATABASE_URL: urlWith(ssl_ca) });
      expect(await service.call('GET', '/v1/webhook/list')).toMatchObject({ status: 200 });
      expect(service.output).not.toContain('hunter2');
      await service.end('SIGTERM');
    });

    it('is refused by a service whose file of authorities is not there', async () => {
      const service = await spawnService({ ...env, DATABASE_URL: urlWith('?ssl_ca=/no/such/ca.pem') });
      expect(await service.exited).toEqual({ code: 1, signal: null });
      expect(service.output).toMatch(
        /^The configuration is not valid:\n {2}DATABASE_URL: has in ssl_ca the file \/no\/such\/ca\.pem, which cannot be read/,
      );
      expect(service.output).not.toContain('hunter2');
    });

    it('is reached by test databases with ssl_ca in the URL', async () => {
      const test = await createTestDatabase(urlWith(ssl_ca));
      const placed = await open(test.url, { connectionLimit: 1 });
      expect(await placed.query(`SHOW STATUS LIKE 'Ssl_cipher'`)).toMatchObject([
        { Value: expect.stringMatching(/^TLS_/) },
      ]);
      await placed.destroy();
      await test.drop();
    });
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
