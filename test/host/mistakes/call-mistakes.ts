import { EventEmitter2 } from '@nestjs/event-emitter';
import type { TestingModule } from '@nestjs/testing';
import { DataSource, EntityManager } from 'typeorm';
import { LifecyclePublisher, NotifierService, WebhookService } from '../../../src/index.js';
import { WebhookEntity } from '../../../src/store/tables/webhook/webhook.entity.js';
import { assembled, database, emitter, webhooks } from './host.js';
import type { Mistake } from './mistake.js';

const NAME = 'record.finished';
const event = { user_id: 'ada', record: { id: 'rec_1', analysis: [] } };

const unstarted = (use: (app: TestingModule) => unknown) =>
  assembled([emitter(), database(), webhooks()], use);
const running = (use: (app: TestingModule) => unknown) =>
  unstarted(async (app) => {
    await app.init();
    return use(app);
  });

const notifier = (app: TestingModule) => app.get(NotifierService, { strict: false });
/** Notifies of something that the compiler would refuse. */
const notify = (name: string, given: unknown) =>
  running((app) => notifier(app).notify(name as never, given as never));

/** Notifies with options that the compiler would refuse, in part. */
const notifyWith = (options: (dataSource: DataSource, app: TestingModule) => unknown) =>
  running(async (app) =>
    notifier(app).notify(NAME, event, (await options(app.get(DataSource), app)) as never),
  );
/** Does something with the manager of an open transaction. */
const inTransaction = (use: (app: TestingModule, manager: EntityManager) => Promise<unknown>) =>
  running((app) => app.get(DataSource).transaction((manager) => use(app, manager)));

const NO_TRANSACTION =
  /The manager is in no transaction.*nothing was stored.*dataSource\.transaction\(.*queryRunner\.manager/;
const NO_MANAGER_HERE = /takes? no manager.*NotifierService.*notify\(name, event, \{ manager \}\)/;

const OWN_TRANSACTION =
  /made in.*waits for this call: SQLite.*notify\(name, event, \{ manager \}\).*Nothing was stored/;

async function keptManager(dataSource: DataSource): Promise<EntityManager> {
  return dataSource.transaction(async (manager) => manager);
}

async function endedManager(dataSource: DataSource): Promise<EntityManager> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.commitTransaction();
  return runner.manager;
}

const NOT_STARTED = /The application has not started, so nothing was stored\. Call "await app\.init\(\)"/;

/** What goes wrong in a call of a service, or in an event. */
export const callMistakes: Mistake[] = [
  {
    title: 'publishes before app.init()',
    make: () => unstarted((app) => app.get(LifecyclePublisher, { strict: false }).publish(NAME, event)),
    says: NOT_STARTED,
  },
  {
    title: 'publishes in a constructor',
    make: () => {
      let published: Promise<unknown> = Promise.resolve();
      class Early {
        constructor(publisher: LifecyclePublisher) {
          published = publisher.publish(NAME, event);
          published.catch(() => {});
        }
      }
      const early = {
        provide: Early,
        inject: [LifecyclePublisher],
        useFactory: (one: LifecyclePublisher) => new Early(one),
      };
      const parts = { ...webhooks(), global: true };
      const module = { module: class EarlyModule {}, providers: [early] };
      return assembled([emitter(), database(), parts, module], () => published);
    },
    says: NOT_STARTED,
  },
  {
    title: 'notifies before app.init()',
    make: () => unstarted((app) => notifier(app).notify(NAME, event)),
    says: NOT_STARTED,
  },
  {
    title: 'emits before app.init()',
    make: () => unstarted((app) => app.get(EventEmitter2).emitAsync(NAME, event)),
    says: NOT_STARTED,
  },
  {
    title: 'notifies with a field of the wrong type',
    make: () => notify(NAME, { user_id: 'ada', record: { id: 'rec_1', analysis: [{ id: 7 }] } }),
    says: /A field is not valid.* \(\/record\/analysis\/0\/id must be/,
  },
  {
    title: 'notifies with several wrong fields',
    make: () => notify(NAME, { user_id: '', record: { id: 7 } }),
    says: /\/user_id must/,
  },
  {
    title: 'notifies with nothing',
    make: () => notify(NAME, undefined),
    says: /The event must be an object with user_id and record/,
  },
  {
    title: 'notifies with a bigint in the record',
    make: () => notify(NAME, { user_id: 'ada', record: { id: 1n } }),
    says: /\/record must be a JSON value: .*BigInt/,
  },
  {
    title: 'notifies of a kind that is declared but missing in eventKinds',
    make: () => notify('invoice.paid', event),
    says: /no kind has the event "invoice\.paid"\. Add its kind to the option eventKinds, or use one of analysis\.finished/,
  },
  {
    title: 'publishes an event whose kind is missing in eventKinds',
    make: () =>
      running((app) =>
        app.get(LifecyclePublisher, { strict: false }).publish('invoice.paid' as never, event as never),
      ),
    says: /No kind has the event "invoice\.paid", so nothing was stored: add its kind to the option eventKinds/,
  },
  {
    title: 'notifies with the manager of the data source',
    make: () => notifyWith((dataSource) => ({ manager: dataSource.manager })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with an injected EntityManager inside of a transaction',
    make: () =>
      inTransaction((app) => notifier(app).notify(NAME, event, { manager: app.get(EntityManager) })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with the manager of a repository',
    make: () => notifyWith((dataSource) => ({ manager: dataSource.getRepository(WebhookEntity).manager })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with a manager that was kept after its transaction',
    make: () => notifyWith(async (dataSource) => ({ manager: await keptManager(dataSource) })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with the manager of a query runner that has committed',
    make: () => notifyWith(async (dataSource) => ({ manager: await endedManager(dataSource) })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with the manager of a query runner that has begun nothing',
    make: () => notifyWith((dataSource) => ({ manager: dataSource.createQueryRunner().manager })),
    says: NO_TRANSACTION,
  },
  {
    title: 'notifies with a query runner as the manager',
    make: () => notifyWith((dataSource) => ({ manager: dataSource.createQueryRunner() })),
    says: /manager: must be an EntityManager, such as queryRunner\.manager/,
  },
  {
    title: 'notifies with null as the manager',
    make: () => notifyWith(() => ({ manager: null })),
    says: /manager: must be an EntityManager.*or left out/,
  },
  {
    title: 'notifies with a manager under another name',
    make: () =>
      inTransaction((app, entityManager) => notifier(app).notify(NAME, event, { entityManager } as never)),
    says: /entityManager: is not an option; did you mean manager\? Nothing was stored/,
  },
  {
    title: 'notifies with a misspelt option',
    make: () => notifyWith(() => ({ idempotencykey: 'k1' })),
    says: /idempotencykey: is not an option; did you mean idempotencyKey\?/,
  },
  {
    title: 'notifies with an option that does not exist',
    make: () => notifyWith(() => ({ colour: 'red' })),
    says: /colour: is not an option; there are manager, idempotencyKey/,
  },
  {
    title: 'notifies with a manager as the third argument',
    make: () => inTransaction((app, manager) => notifier(app).notify(NAME, event, manager as never)),
    says: /must be an object of options, such as \{ manager \}, and not an EntityManager/,
  },
  {
    title: 'notifies with a text as the third argument',
    make: () => notifyWith(() => 'k1'),
    says: /must be an object of options.*not a string/,
  },
  {
    title: 'notifies with the manager in the event',
    make: () => inTransaction((app, manager) => notifier(app).notify(NAME, { ...event, manager } as never)),
    says: NO_MANAGER_HERE,
  },
  {
    title: 'emits with a manager',
    make: () => inTransaction((app, manager) => app.get(EventEmitter2).emitAsync(NAME, event, { manager })),
    says: NO_MANAGER_HERE,
  },
  {
    title: 'publishes with a manager',
    make: () =>
      inTransaction((app, manager) => {
        const publisher = app.get(LifecyclePublisher, { strict: false });
        return publisher.publish(...([NAME, event, manager] as unknown as [typeof NAME, typeof event]));
      }),
    says: NO_MANAGER_HERE,
  },
  {
    title: 'notifies without the manager inside of a transaction on SQLite',
    make: () => inTransaction((app) => notifier(app).notify(NAME, event)),
    says: OWN_TRANSACTION,
  },
  {
    title: 'notifies with an idempotency key inside of a transaction on SQLite',
    make: () => inTransaction((app) => notifier(app).notify(NAME, event, { idempotencyKey: 'k1' })),
    says: OWN_TRANSACTION,
  },
  {
    title: 'emits inside of a transaction on SQLite',
    make: () => inTransaction((app) => app.get(EventEmitter2).emitAsync(NAME, event)),
    says: OWN_TRANSACTION,
  },
  {
    title: 'creates a webhook inside of a transaction on SQLite',
    make: () =>
      inTransaction((app) =>
        app.get(WebhookService, { strict: false }).create('ada', { name: 'w', url: 'https://1.1.1.1/' }),
      ),
    says: OWN_TRANSACTION,
  },
  {
    title: 'creates a webhook with an invalid name and a URL without a scheme',
    make: () =>
      running((app) =>
        app.get(WebhookService, { strict: false }).create('ada', { name: '', url: 'crm.example.com' }),
      ),
    says: /Some fields are not valid.* \(\/name must not be empty; \/url The URL is not a valid absolute URL/,
  },
];
