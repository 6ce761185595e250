import { EventEmitter2 } from '@nestjs/event-emitter';
import type { TestingModule } from '@nestjs/testing';
import { DataSource, EntityManager } from 'typeorm';
import {
  LifecyclePublisher,
  NotifierService,
  StatisticsService,
  WebhookService,
} from '../../../src/index.js';
import { assembled, database, emitter, webhookModule } from '../application.js';
import type { Mistake } from './mistake.js';

const NAME = 'record.finished';
const event = { user_id: 'ada', record: { id: 'rec_1', analysis: [] } };

const unstarted = (use: (app: TestingModule) => unknown) => () =>
  assembled([emitter(), database(), webhookModule()], use);
const running = (use: (app: TestingModule) => unknown) => unstarted(async (app) => use(await app.init()));
/** Does something with the manager of an open transaction. */
const inTransaction = (use: (app: TestingModule, manager: EntityManager) => Promise<unknown>) =>
  running((app) => app.get(DataSource).transaction((manager) => use(app, manager)));

/** Calls with what the compiler would refuse, in part. */
const emit = (app: TestingModule, ...beside: unknown[]) =>
  app.get(EventEmitter2).emitAsync(NAME, event, ...beside);
const publish = (app: TestingModule, ...given: unknown[]) =>
  app.get(LifecyclePublisher, { strict: false }).publish(...(given as [typeof NAME, typeof event]));
const notify = (app: TestingModule, ...given: unknown[]) =>
  app.get(NotifierService, { strict: false }).notify(...(given as [typeof NAME, typeof event]));
const notifyWith = (optionsOf: (dataSource: DataSource) => unknown) =>
  running(async (app) => notify(app, NAME, event, await optionsOf(app.get(DataSource))));
const createWebhook = (app: TestingModule) =>
  app.get(WebhookService, { strict: false }).create('ada', { name: 'w', url: 'https://1.1.1.1/' });
const statistics = (app: TestingModule) => app.get(StatisticsService, { strict: false }).find('ada');

async function keptManager(dataSource: DataSource) {
  return { manager: await dataSource.transaction(async (manager) => manager) };
}

/** Publishes in a constructor, before the module listens. */
function publishEarly() {
  let published: Promise<unknown> = Promise.resolve();
  const early = {
    provide: 'EARLY',
    inject: [LifecyclePublisher],
    useFactory: (publisher: LifecyclePublisher) => {
      published = publisher.publish(NAME, event);
      published.catch(() => {});
    },
  };
  const module = { module: class EarlyModule {}, providers: [early] };
  return assembled([emitter(), database(), webhookModule({ isGlobal: true }), module], () => published);
}

const NOT_STARTED = /The application has not started, so nothing was stored\. Call "await app\.init\(\)"/;
const NO_KIND =
  /no kind has the event "invoice\.paid"\. Add its kind to the option eventKinds, or use one of/;
const UNPUBLISHED =
  /No kind has the event "invoice\.paid", so nothing was stored: add its kind to the option/;
const NO_TRANSACTION =
  /The manager is in no transaction.*nothing was stored.*dataSource\.transaction\(.*queryRunner\.manager/;
const NO_MANAGER_HERE = /takes? no manager.*NotifierService.*notify\(name, event, \{ manager \}\)/;
const OWN_TRANSACTION =
  /made in.*waits for this call: SQLite.*notify\(name, event, \{ manager \}\).*Nothing was stored/;

const wrong = { user_id: 'ada', record: { id: 'rec_1', analysis: [{ id: 7 }] } };
const bigint = { user_id: 'ada', record: { id: 1n } };

/** What goes wrong in a call of a service, or in an event. */
export const callMistakes: Mistake[] = [
  ['publishes in a constructor', publishEarly, NOT_STARTED],
  ['notifies before app.init()', unstarted((app) => notify(app, NAME, event)), NOT_STARTED],
  ['emits before app.init()', unstarted((app) => emit(app)), NOT_STARTED],
  [
    'notifies with a field of the wrong type',
    running((app) => notify(app, NAME, wrong)),
    /A field is not valid.* \(\/record\/analysis\/0\/id must be/,
  ],
  [
    'notifies with nothing',
    running((app) => notify(app, NAME, undefined)),
    /The event must be an object with user_id and record/,
  ],
  [
    'notifies with a bigint in the record',
    running((app) => notify(app, NAME, bigint)),
    /\/record must be a JSON value: .*BigInt/,
  ],
  ['notifies of a kind not in eventKinds', running((app) => notify(app, 'invoice.paid', event)), NO_KIND],
  ['publishes a kind not in eventKinds', running((app) => publish(app, 'invoice.paid', event)), UNPUBLISHED],
  ['notifies with a manager kept after its transaction', notifyWith(keptManager), NO_TRANSACTION],
  [
    'notifies with a query runner as the manager',
    notifyWith((dataSource) => ({ manager: dataSource.createQueryRunner() })),
    /manager: must be an EntityManager, such as queryRunner\.manager/,
  ],
  [
    'notifies with null as the manager',
    notifyWith(() => ({ manager: null })),
    /manager: must be an EntityManager.*or left out/,
  ],
  [
    'notifies with a manager under another name',
    inTransaction((app, entityManager) => notify(app, NAME, event, { entityManager })),
    /entityManager: is not an option; did you mean manager\? Nothing was stored/,
  ],
  [
    'notifies with a misspelt option',
    notifyWith(() => ({ idempotencykey: 'k1' })),
    /idempotencykey: is not an option; did you mean idempotencyKey\?/,
  ],
  [
    'notifies with an option that does not exist',
    notifyWith(() => ({ colour: 'red' })),
    /colour: is not an option; there are manager, idempotencyKey/,
  ],
  [
    'notifies with a manager as the third argument',
    inTransaction((app, manager) => notify(app, NAME, event, manager)),
    /must be an object of options, such as \{ manager \}, and not an EntityManager/,
  ],
  [
    'notifies with a text as the third argument',
    notifyWith(() => 'k1'),
    /must be an object of options.*not a string/,
  ],
  [
    'notifies with the manager in the event',
    inTransaction((app, manager) => notify(app, NAME, { ...event, manager })),
    NO_MANAGER_HERE,
  ],
  ['emits with a manager', inTransaction((app, manager) => emit(app, { manager })), NO_MANAGER_HERE],
  [
    'publishes with a manager',
    inTransaction((app, manager) => publish(app, NAME, event, manager)),
    NO_MANAGER_HERE,
  ],
  [
    'notifies without the manager inside of a transaction on SQLite',
    inTransaction((app) => notify(app, NAME, event)),
    OWN_TRANSACTION,
  ],
  [
    'notifies with an idempotency key inside of a transaction on SQLite',
    inTransaction((app) => notify(app, NAME, event, { idempotencyKey: 'k1' })),
    OWN_TRANSACTION,
  ],
  ['emits inside of a transaction on SQLite', inTransaction((app) => emit(app)), OWN_TRANSACTION],
  ['creates a webhook inside of a transaction on SQLite', inTransaction(createWebhook), OWN_TRANSACTION],
  ['reads statistics inside of a transaction on SQLite', inTransaction(statistics), OWN_TRANSACTION],
];
