import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NotifierService, OnWebhookEvent, TriggerService, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { hostDataSource } from '../support/host.js';
import { until } from '../support/until.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

/** What an application knows of whoever it works for, as tracing and loggers keep it. */
const trace = new AsyncLocalStorage<string>();

/** In which contexts something happened, by its name. */
class Seen {
  private readonly contexts = new Map<string, Set<string | undefined>>();

  note(what: string): void {
    this.in(what).add(trace.getStore());
  }

  in(what: string): Set<string | undefined> {
    const known = this.contexts.get(what) ?? new Set();
    this.contexts.set(what, known);
    return known;
  }
}

class Listener {
  constructor(private readonly seen: Seen) {}

  @OnWebhookEvent('trigger.failed')
  onFailed(): void {
    this.seen.note('event');
  }
}

describe.each(databases)("a host's own contexts, on $name,", (kind) => {
  const seen = new Seen();
  const receiver = useReceiver();
  const tableOf = (statement: string) => /webhook\w*/.exec(statement)?.[0] ?? '';
  const nothing = () => {};
  const host = useHost(kind, {
    dataSource: (url) =>
      TypeOrmModule.forRoot({
        ...hostDataSource(url),
        logging: ['query'],
        logger: {
          logQuery: (statement) => seen.note(`${/^\s*(\w+)/.exec(statement)?.[1]} ${tableOf(statement)}`),
          logQueryError: nothing,
          logQuerySlow: nothing,
          logSchemaBuild: nothing,
          logMigration: nothing,
          log: nothing,
        },
      }),
    webhooks: webhookModule({ routes: false, delivery: { retryScheduleMs: [0] } }),
    providers: [{ provide: Listener, useFactory: () => new Listener(seen) }],
  });
  const sent = () => seen.note('request');

  beforeAll(() => subscribe('undici:request:create', sent));
  afterAll(() => void unsubscribe('undici:request:create', sent));

  it('are those of what it does itself, and of nothing that the webhooks do for all', async () => {
    receiver.respondWith({ status: 500 });
    await trace.run('ada', () =>
      host.get(WebhookService).create('ada', {
        name: 'w',
        url: `${receiver.url}/ada`,
        events: ['RECORD_FINISHED'],
      }),
    );
    const { triggers } = await trace.run('ada', () =>
      host
        .get(NotifierService)
        .notify('record.finished', { user_id: 'ada', record: { id: 'r', analysis: [] } }),
    );
    const find = () => host.get(TriggerService).find('ada', triggers[0]?.id ?? '');
    await until(async () => (await find()).end);
    await trace.run('ada', () => host.get(TriggerService).retry('ada', triggers[0]?.id ?? ''));
    await receiver.waitFor(3);
    await until(() => seen.in('event').size > 0);
    expect(seen.in('INSERT webhook_event')).toEqual(new Set(['ada']));
    for (const what of ['INSERT webhook_notification', 'INSERT webhook_trigger', 'request', 'event'])
      expect([what, ...seen.in(what)]).toEqual([what, undefined]);
  });
});
