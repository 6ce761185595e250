import { EventEmitter2 } from '@nestjs/event-emitter';
import type { TestingModule } from '@nestjs/testing';
import { LifecyclePublisher, NotifierService, WebhookService } from '../../../src/index.js';
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

const NOT_STARTED = /The application has not started, so nothing was stored\. Call "await app\.init\(\)"/;

/** What goes wrong in a call of a service, or in an event. */
export const callMistakes: Mistake[] = [
  {
    title: 'publishes before app.init()',
    make: () => unstarted((app) => app.get(LifecyclePublisher, { strict: false }).publish(NAME, event)),
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
    title: 'creates a webhook with an invalid name and a URL without a scheme',
    make: () =>
      running((app) =>
        app.get(WebhookService, { strict: false }).create('ada', { name: '', url: 'crm.example.com' }),
      ),
    says: /Some fields are not valid.* \(\/name must not be empty; \/url The URL is not a valid absolute URL/,
  },
];
