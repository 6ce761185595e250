import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { webhookDatabase, webhookEntities } from '../../../src/index.js';
import { developmentKeys } from '../../../src/platform/config/encryption-key-file.js';
import { InstanceEntity } from '../../../src/store/tables/instance.entity.js';
import { betterSqlite3 } from '../../support/host.js';
import { database, emitter, started, startedWith, webhooks } from './host.js';
import type { Mistake } from './mistake.js';

const kind = { description: 'Something happened.', schema: {}, example: {} };

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

async function inFolder(use: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-mistake-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const withoutInstances = () =>
  webhookEntities('sqlite').filter(({ options }) => options.target !== InstanceEntity);

/** Starts an application on a database that has a table already. */
const withTable = (sql: string) =>
  inFolder(async (folder) => {
    const path = join(folder, 'app.sqlite');
    const own = await new DataSource({
      type: 'better-sqlite3',
      driver: betterSqlite3,
      database: path,
    }).initialize();
    await own.query(sql);
    await own.destroy();
    await started(emitter(), TypeOrmModule.forRootAsync(webhookDatabase(`sqlite:${path}`)), webhooks());
  });

const AWAY = {
  type: 'mysql',
  driver: undefined,
  url: 'mysql://root@127.0.0.1:1/app',
  entities: webhookEntities('mysql'),
  retryAttempts: 0,
};

/** What is missing or wrong when the application starts. */
export const startMistakes: Mistake[] = [
  {
    title: 'imports no EventEmitterModule',
    make: () => started(database(), webhooks()),
    says: /needs an EventEmitter2: import EventEmitterModule\.forRoot\(\)/,
  },
  {
    title: 'imports no TypeOrmModule',
    make: () => started(emitter(), webhooks()),
    says: /needs a data source: import TypeOrmModule\.forRootAsync\(webhookDatabase\(url\)\)/,
  },
  {
    title: 'names its data source, and does not pass the name on',
    make: () => started(emitter(), database({ name: 'hooks' }), webhooks()),
    says: /If yours has a name, pass that to WebhookModule as the option dataSource\./,
  },
  {
    title: 'passes the name of a data source that it does not have',
    make: () => started(emitter(), database(), webhooks({ dataSource: 'hooks' })),
    says: /no data source with the name "hooks".*webhookDatabase\(url, \{ name: 'hooks' \}\)\), or leave the option out/,
  },
  {
    title: 'has a data source whose server does not run',
    make: () => started(emitter(), database(AWAY), webhooks()),
    says: /connect ECONNREFUSED 127\.0\.0\.1:1$/,
  },
  {
    title: "leaves the module's entities out of its data source",
    make: () => started(emitter(), database({ entities: [] }), webhooks()),
    says: /not have the entities of the webhooks\. .*webhookDatabase\(url\), or add \.\.\.webhookEntities\('sqlite'\)/,
  },
  {
    title: "expects autoLoadEntities to find the module's entities",
    make: () => started(emitter(), database({ entities: [], autoLoadEntities: true }), webhooks()),
    says: /autoLoadEntities does not add them/,
  },
  {
    title: "has only some of the module's entities",
    make: () => started(emitter(), database({ entities: withoutInstances() }), webhooks()),
    says: /entities of the webhooks \(InstanceEntity\)\. .*\.\.\.webhookEntities\('sqlite'\)/,
  },
  {
    title: 'runs no migrations',
    make: () => started(emitter(), database({ migrationsRun: false }), webhooks()),
    says: /tables of the webhooks are missing.*migrationsRun: true.*typeorm migration:run -d FILE/,
  },
  {
    title: 'has a table of the same name as one of the webhooks',
    make: () => withTable('CREATE TABLE webhook (id integer)'),
    says: /need a table webhook.*has one already.*webhookDatabase\(url, \{ tablePrefix: .*recorded in another table than webhook_migration.*migrationsTableName/,
  },
  {
    title: 'has not set the variable that holds its encryption keys',
    make: () => startedWith({ encryptionKeys: undefined as never }),
    says: /encryptionKeys: is missing; .*environment variable, set that one; write id:key.*make one with: node/,
  },
  {
    title: 'passes an empty text as encryption keys',
    make: () => startedWith({ encryptionKeys: '' }),
    says: /encryptionKeys: is empty; write id:key.*make one with: node/,
  },
  {
    title: 'passes an encryption key without its id',
    make: () => startedWith({ encryptionKeys: key('', 1).slice(1) }),
    says: /encryptionKeys: entry 1 has no colon.*write id:key/,
  },
  {
    title: 'passes an encryption key of 16 bytes',
    make: () => startedWith({ encryptionKeys: `k1:${Buffer.alloc(16).toString('base64')}` }),
    says: /encryptionKeys: entry 1 has a key of 16 bytes, not 32; .*make one with: node/,
  },
  {
    title: 'passes an encryption key that is not base64',
    make: () => startedWith({ encryptionKeys: `k1:${'_'.repeat(43)}=` }),
    says: /encryptionKeys: entry 1 has a key that is not base64, with \+ and \/ \(not - and _\)/,
  },
  {
    title: 'gives two encryption keys one id',
    make: () => startedWith({ encryptionKeys: `${key('k1', 1)},${key('k1', 2)}` }),
    says: /encryptionKeys: entry 2 has the id "k1" of an earlier one; give every key an id of its own/,
  },
  {
    title: 'passes the text of an encryption key instead of its bytes',
    make: () => startedWith({ encryptionKeys: [{ id: 'k1', key: 'x'.repeat(32) as never }] }),
    says: /encryptionKeys: entry 1 has a key that is not a Buffer; write \{ id: 'k1', key \}/,
  },
  {
    title: 'starts with another encryption key under the same id',
    make: () =>
      inFolder(async (folder) => {
        const kept = () => database({ database: join(folder, 'app.sqlite') });
        await started(emitter(), kept(), webhooks({ encryptionKeys: key('k1', 1) }));
        await started(emitter(), kept(), webhooks({ encryptionKeys: key('k1', 2) }));
      }),
    says: /encryptionKeys: the database was written with another key under the id "k1"\. Restore that key; or,.* another id/,
  },
  {
    title: "spoils the service's own key file",
    make: () =>
      inFolder((folder) => {
        const file = join(folder, 'encryption.key');
        writeFileSync(file, 'c2hvcnQ=\n');
        developmentKeys(file);
      }),
    says: /encryption\.key: holds no key of 32 bytes in base64\. Restore the file; if the database is new, delete it/,
  },
  {
    title: 'defines two kinds with one event',
    make: () => startedWith({ eventKinds: { MINE: { ...kind, event: 'record.finished' } } as never }),
    says: /Event kind MINE: "record\.finished" is the event of RECORD_FINISHED already; give it an event of its own/,
  },
  {
    title: 'defines a kind with the name of an operational one',
    make: () => startedWith({ eventKinds: { TRIGGER_FAILED: { ...kind, event: 'mine' } } as never }),
    says: /Event kind TRIGGER_FAILED: the name is taken; choose another one/,
  },
  {
    title: 'defines a kind with an event of the module',
    make: () => startedWith({ eventKinds: { MINE: { ...kind, event: 'trigger.failed' } } as never }),
    says: /Event kind MINE: "trigger\.failed" is an event that this module emits itself; give the kind an event of its own/,
  },
  {
    title: 'writes a kind in lower case',
    make: () => startedWith({ eventKinds: { mine: { ...kind, event: 'mine' } } as never }),
    says: /Event kind "mine": write it in upper snake case/,
  },
];
