import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource, EntitySchema } from 'typeorm';
import { webhookDatabase } from '../../../src/index.js';
import { createTestDatabase } from '../../../src/module/testing/index.js';
import { databases, describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { appModule, appModuleOn, type TestFile, useTestFiles } from './test-files.js';

/** The name of a place that was made so many hours ago. */
const placeMade = (hours: number) => {
  const minute = Math.floor(Date.now() / 60_000) - hours * 60;
  return `whtest_${minute.toString(36).padStart(5, '0')}_${randomUUID().slice(0, 6)}`;
};

const InvoiceEntity = new EntitySchema({
  name: 'Invoice',
  tableName: 'invoice',
  columns: { id: { type: 'int', primary: true } },
});

class CreateInvoice1800000000000 {
  up = (runner: { query(sql: string): Promise<unknown> }) =>
    runner.query('CREATE TABLE invoice (id int PRIMARY KEY)');
  down = async () => {};
}

describe.each(databases)('a test database on $name', (kind) => {
  const shared = useDatabase(kind);
  const files = useTestFiles();

  it("has all tables, also the application's own, even if it does not migrate at its start", async () => {
    const own = { entities: [InvoiceEntity], migrations: [CreateInvoice1800000000000] };
    const module = appModule(shared.url, { ...own, migrationsRun: false, name: 'second' });
    const { app, publish, webhooks } = await files.start(module, await files.database(shared.url));
    const dataSource = app.get<DataSource>('secondDataSource', { strict: false });
    expect(await dataSource.query('SELECT * FROM invoice')).toEqual([]);
    await publish('rec_1');
    await webhooks.expectDelivered({ data: { id: 'rec_1' } });
  });

  it('may be dropped twice', async () => {
    const database = await createTestDatabase(shared.url);
    await database.drop();
    await database.drop();
  });

  it('replaces a URL that comes late', async () => {
    const address = { provide: 'URL', useValue: 'mysql://root@127.0.0.1:1/none' };
    const module = { module: class AddressModule {}, providers: [address], exports: ['URL'] };
    const useFactory = async (url: string) => url;
    const late = webhookDatabase({ inject: ['URL'], useFactory, imports: [module] });
    const { publish, webhooks } = await files.start(appModuleOn(late), await files.database(shared.url));
    await publish('rec_1');
    await webhooks.expectDelivered({ data: { id: 'rec_1' } });
  });

  it('says so if the application did not use it', async () => {
    const database = await createTestDatabase(shared.url);
    database.use(Test.createTestingModule({}));
    await expect(database.drop()).rejects.toThrow(/did not use its test database.*set its URL to "url"/);
  });

  it('cannot be used by an application that is compiled already', async () => {
    const database = await files.database(shared.url);
    const builder = Test.createTestingModule({});
    await builder.compile();
    expect(() => database.use(builder)).toThrow('use replaced nothing: compile() was called before.');
  });
});

it.each([
  [undefined, /^The URL for createTestDatabase is undefined; write the URL of a database for tests/],
  ['postgres://localhost/app', /must be sqlite:PATH/],
  ['mysql://root@127.0.0.1', /has no database name/],
])('a test database needs a URL, not %s', async (url, message) => {
  await expect(createTestDatabase(url)).rejects.toThrow(message);
});

it('a test database on SQLite is a temporary file, and removes those of killed tests after a day', async () => {
  const [old, young] = [join(tmpdir(), placeMade(25)), join(tmpdir(), placeMade(23))];
  for (const folder of [old, young]) await mkdir(folder, { recursive: true });
  const database = await createTestDatabase('sqlite:./data/app.sqlite');
  const folder = dirname(database.url.slice('sqlite:'.length));
  expect(existsSync(folder)).toBe(true);
  await database.drop();
  expect([old, young, folder].map(existsSync)).toEqual([false, true, false]);
  await rm(young, { recursive: true });
});

describe.each(databases)('two test files on one server, $name', (kind) => {
  const shared = useDatabase(kind);
  const files = useTestFiles();

  async function expectApart(one: TestFile, other: TestFile): Promise<void> {
    one.webhooks.transport.answerWith(({ attempt }) => (attempt === 1 ? 503 : 200));
    await one.publish('rec_one');
    await other.publish('rec_other');
    await one.webhooks.idle(one.app);
    // Now the retry is due by the clock of the other file.
    other.webhooks.clock.advance(10_000);
    await other.webhooks.idle(other.app);
    const ids = ({ webhooks }: TestFile) =>
      webhooks.transport.delivered.map(({ payload }) => payload.data.id);
    expect([ids(one), ids(other)]).toEqual([['rec_one'], ['rec_other']]);
    one.webhooks.clock.advance(10_000);
    await one.webhooks.expectDelivered({ attempt: 2 });
    expect([ids(one), ids(other)]).toEqual([['rec_one', 'rec_one'], ['rec_other']]);
  }

  it('do not send what the other one published, with a test database each', async () => {
    const module = appModule(shared.url);
    const one = await files.start(module, await files.database(shared.url));
    const other = await files.start(module, await files.database(shared.url));
    await expectApart(one, other);
  });

  it('do not even if each has the URL of its test database in place of the shared one', async () => {
    const [first, second] = [await files.database(shared.url), await files.database(shared.url)];
    await expectApart(await files.start(appModule(first.url)), await files.start(appModule(second.url)));
  });
});

describeOnMariadb('a test database on $name', (kind) => {
  const shared = useDatabase(kind);
  const files = useTestFiles();
  /** A user who may use the shared database, and not create another one. */
  const user = `limited_${process.pid}`;
  let root: Connection;
  let limitedUrl: string;

  beforeAll(async () => {
    const url = new URL(shared.url);
    root = await createConnection({ uri: shared.url });
    await root.query(`CREATE USER ${user}@'%' IDENTIFIED BY 'p/w'`);
    await root.query(`GRANT ALL ON \`${url.pathname.slice(1)}\`.* TO ${user}@'%'`);
    url.username = user;
    url.password = 'p%2Fw';
    limitedUrl = url.href;
  });
  afterAll(async () => {
    await root.query(`DROP USER ${user}@'%'`);
    await root.end();
  });

  async function names(sql: string): Promise<string[]> {
    const [rows] = await root.query<RowDataPacket[]>(sql);
    return rows.map((row) => String(Object.values(row)[0]));
  }
  const ownDatabases = () => names("SHOW DATABASES LIKE 'whtest\\_%'");
  const sharedTables = () => names('SHOW TABLES');

  it('is a new database, of which nothing is left', async () => {
    const database = await createTestDatabase(shared.url);
    const name = new URL(database.url).pathname.slice(1);
    expect(database.tablePrefix).toBe('');
    expect(await ownDatabases()).toContain(name);
    const { app } = await files.start(appModule(shared.url), database);
    await app.close();
    await database.drop();
    expect(await ownDatabases()).not.toContain(name);
    expect(await sharedTables()).toEqual([]);
  });

  it('removes the databases of killed tests after a day', async () => {
    const [old, young, other] = [placeMade(25), placeMade(23), `whtest_of_${randomUUID().slice(0, 6)}`];
    try {
      for (const name of [old, young, other]) await root.query(`CREATE DATABASE ${name}`);
      await files.database(shared.url);
      const left = await ownDatabases();
      expect(left).toEqual(expect.arrayContaining([young, other]));
      expect(left).not.toContain(old);
    } finally {
      for (const name of [old, young, other]) await root.query(`DROP DATABASE IF EXISTS ${name}`);
    }
  });

  it('is a table prefix for a user who may not create databases, and leaves no table behind', async () => {
    const module = appModule(limitedUrl);
    const [first, second] = [await createTestDatabase(limitedUrl), await createTestDatabase(limitedUrl)];
    const [one, other] = [await files.start(module, first), await files.start(module, second)];
    await one.publish('rec_1');
    await one.webhooks.expectDelivered({ data: { id: 'rec_1' } });
    await other.webhooks.idle(other.app);
    expect(other.webhooks.transport.delivered).toEqual([]);
    const tables = await sharedTables();
    expect(tables).toContain(`${first.tablePrefix}webhook_trigger`);
    expect(tables).toContain(`${first.tablePrefix}webhook_migration`);
    expect(tables.filter((name) => !/^whtest_\w{5}_\w{6}_webhook/.test(name))).toEqual([]);
    await one.app.close();
    await first.drop();
    expect((await sharedTables()).filter((name) => !name.startsWith(second.tablePrefix))).toEqual([]);
    await other.app.close();
    await second.drop();
    expect(await sharedTables()).toEqual([]);
  });

  it('removes the prefixed tables of killed tests after a day, and no others', async () => {
    const [old, young] = [placeMade(25), placeMade(23)];
    const kept = [`${young}_webhook`, 'whtest_other', 'webhook'];
    await root.query(`CREATE TABLE ${old}_parent (id int PRIMARY KEY)`);
    await root.query(`CREATE TABLE ${old}_child (id int REFERENCES ${old}_parent (id))`);
    for (const name of kept) await root.query(`CREATE TABLE ${name} (id int)`);
    await files.database(limitedUrl);
    const left = await sharedTables();
    for (const name of kept) await root.query(`DROP TABLE ${name}`);
    expect(left).toEqual(kept.sort());
  });

  it('says that it is still in use if it is', async () => {
    const database = await createTestDatabase(shared.url);
    const { app } = await files.start(appModule(shared.url), database);
    const runner = app.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT * FROM webhook');
    await expect(database.drop()).rejects.toThrow('call "await app.close()" before "drop()"');
    await runner.rollbackTransaction();
    await runner.release();
    await app.close();
    await database.drop();
  });

  it("tells how to allow databases if the application's own migrations need one", async () => {
    const database = await files.database(limitedUrl);
    const module = appModule(limitedUrl, { migrations: [CreateInvoice1800000000000] });
    await expect(files.start(module, database)).rejects.toThrow('GRANT ALL ON `whtest\\_%`.* TO');
    await root.query(`GRANT ALL ON \`whtest\\_%\`.* TO ${user}@'%'`);
    const granted = await files.database(limitedUrl);
    expect(granted.tablePrefix).toBe('');
    await files.start(module, granted);
  });
});
