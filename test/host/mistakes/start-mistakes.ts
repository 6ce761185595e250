import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DynamicModule, Injectable, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { WebhookModule, WebhookService, webhookDatabase, webhookEntities } from '../../../src/index.js';
import { mockWebhooks } from '../../../src/module/testing/index.js';
import { developmentKeys } from '../../../src/platform/config/encryption-key-file.js';
import { InstanceEntity } from '../../../src/store/tables/instance.entity.js';
import { betterSqlite3 } from '../../support/host.js';
import { assembled, database, type Imported, start, valid, webhookModule } from '../application.js';
import type { Mistake } from './mistake.js';

@Injectable()
class Invoices {
  constructor(readonly webhooks: WebhookService) {}
}

/** A module of the application that injects one of the services. */
const importing = (webhooks: Imported): DynamicModule => ({
  module: class InvoiceModule {},
  imports: [webhooks],
  providers: [Invoices],
});

/** The class itself, which the compiler refuses. */
const bare = WebhookModule as unknown as Type;
const async = () => WebhookModule.forRootAsync({ useFactory: async () => valid });

const TWICE = /called 2 times.*constant.*isGlobal/s;

const onTwo = () =>
  start(database(), database({ name: 'second' }), webhookModule(), webhookModule({ dataSource: 'second' }));

const withoutEmitter = () => assembled([database(), webhookModule()], (app) => app.init());

/** Mocks the webhooks of an application that is compiled already. */
const mockTooLate = () => {
  const builder = Test.createTestingModule({});
  return builder.compile().then(() => mockWebhooks(builder));
};
const mockCompiled = async () => mockWebhooks((await Test.createTestingModule({}).compile()) as never);

async function inFolder(use: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-mistake-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts an application on a database that has a table of a webhook's name already. */
const withTable = () =>
  inFolder(async (folder) => {
    const path = join(folder, 'app.sqlite');
    const own = new DataSource({ type: 'better-sqlite3', driver: betterSqlite3, database: path });
    await own.initialize();
    await own.query('CREATE TABLE webhook (id integer)');
    await own.destroy();
    await start(TypeOrmModule.forRootAsync(webhookDatabase(`sqlite:${path}`)), webhookModule());
  });

const some = webhookEntities('sqlite').filter(({ options }) => options.target !== InstanceEntity);

/** What a data source lacks. */
const DATA_SOURCES: [does: string, change: object, says: RegExp][] = [
  [
    'does not pass the name of its data source on',
    { name: 'hooks' },
    /has a name, pass that .* option dataSource/,
  ],
  [
    "leaves the module's entities out of its data source",
    { entities: [] },
    /not have the entities of the webhooks\. .*webhookDatabase\(url\), or add \.\.\.webhookEntities\('sqlite'\)/,
  ],
  ['leaves its entities to autoLoadEntities', { entities: [], autoLoadEntities: true }, /does not add them/],
  [
    'lists only some entities',
    { entities: some },
    /webhooks \(InstanceEntity\)\. .*\.\.\.webhookEntities\('sqlite'\)/,
  ],
  [
    'runs no migrations',
    { migrationsRun: false },
    /are missing.*migrationsRun: true.*typeorm migration:run -d FILE/,
  ],
];

const spoilKey = () =>
  inFolder((folder) => {
    const file = join(folder, 'encryption.key');
    writeFileSync(file, 'c2hvcnQ=\n');
    developmentKeys(file);
  });

const KINDS: [does: string, name: string, event: string, says: RegExp][] = [
  [
    'gives two kinds one event',
    'MINE',
    'record.finished',
    /is the event of RECORD_FINISHED already; give it an/,
  ],
  [
    'gives a kind the name of an operational one',
    'TRIGGER_FAILED',
    'mine',
    /the name is taken; choose another/,
  ],
  [
    'gives a kind an event of the module',
    'MINE',
    'trigger.failed',
    /this module emits itself; give the kind an/,
  ],
  ['writes a kind in lower case', 'mine', 'mine', /Event kind "mine": write it in upper snake case/],
];
const kind = { description: 'Something happened.', schema: {}, example: {} };

/** What is assembled in the wrong way, or missing or wrong when the application starts. */
export const startMistakes: Mistake[] = [
  [
    'calls forRoot in two modules',
    () => start(database(), importing(webhookModule()), importing(webhookModule())),
    TWICE,
  ],
  ['calls forRoot and forRootAsync', () => start(database(), webhookModule(), async()), TWICE],
  ['calls forRoot for each of two data sources', onTwo, TWICE],
  ['imports the class alone', () => start(database(), bare), /imported without options/],
  [
    'imports the class where its services are injected',
    () => start(database(), webhookModule(), importing(bare)),
    /WebhookModule\.forRoot\(\{ … \}\) returned.*isGlobal/,
  ],
  [
    'calls mockWebhooks after compile()',
    mockTooLate,
    /compile\(\) was called before\. Call mockWebhooks\(builder\)/,
  ],
  [
    'passes a compiled module to mockWebhooks',
    mockCompiled,
    /needs the builder that Test\.createTestingModule/,
  ],
  [
    'imports no EventEmitterModule',
    withoutEmitter,
    /needs an EventEmitter2: import EventEmitterModule\.forRoot\(\)/,
  ],
  [
    'imports no TypeOrmModule',
    () => start(webhookModule()),
    /needs a data source: import TypeOrmModule\.forRootAsync\(webhookDatabase\(url\)\)/,
  ],
  [
    'passes the name of a data source that it does not have',
    () => start(database(), webhookModule({ dataSource: 'hooks' })),
    /no data source with the name "hooks".*webhookDatabase\(url, \{ name: 'hooks' \}\)\), or leave the option out/,
  ],
  ...DATA_SOURCES.map(
    ([does, change, says]): Mistake => [does, () => start(database(change), webhookModule()), says],
  ),
  [
    'has a table of the same name as one of the webhooks',
    withTable,
    /need a table webhook.*has one already.*webhookDatabase\(url, \{ tablePrefix: .*recorded in another table than webhook_migration.*migrationsTableName/,
  ],
  [
    'has not set the variable that holds its encryption keys',
    () => start(database(), webhookModule({ encryptionKeys: undefined as never })),
    /encryptionKeys: is missing; .*environment variable, set that one; write id:key.*make one with: node/,
  ],
  [
    "spoils the service's own key file",
    spoilKey,
    /encryption\.key: holds no key of 32 bytes in base64\. Restore the file; if the database is new, delete it/,
  ],
  ...KINDS.map(
    ([does, name, event, says]): Mistake => [
      does,
      () => start(database(), webhookModule({ eventKinds: { [name]: { ...kind, event } } as never })),
      says,
    ],
  ),
];
