import { describe, expect, it } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { WebhookService } from '../../src/index.js';
import { expectProblem } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { database, webhookModule } from './application.js';
import { KeptLog, useHost, useKeptLog } from './use-host.js';

const event = { user_id: 'ada', record: { id: 'inv_1' } };

describe('the log of a host', () => {
  const log = useKeptLog();
  const host = useHost(SQLITE, {
    lifetime: 'test',
    logger: log,
    webhooks: webhookModule({ egress: {}, principal: () => ({ userId: 'ada' }) }),
  });
  const service = () => host.get(WebhookService);
  const hook = { name: 'mine', url: 'https://192.0.1.1/hooks' };

  it.each(['http://localhost:4000/hooks', 'http://127.0.0.1:4000/hooks', 'http://10.1.2.3/hooks'])(
    'names the option that allows %s, and the answer does not',
    async (url) => {
      const answer = await host.call('POST', '/v1/webhook', { ...hook, url });
      expectProblem(answer, 400, 'validation_failed', ['/url']);
      expect(answer.text).not.toContain('egress');
      await expect(service().create('ada', { ...hook, url })).rejects.toThrow('is not a public one');
      // Once for both.
      expect(log.messages.filter((line) => line.includes('egress.allowedNetworks'))).toHaveLength(1);
      expect(log.messages[0]).toMatch(/egress\.allowPrivateNetwork.*ALLOWED_NETWORKS.*ALLOW_PRIVATE_NETWORK/);
    },
  );

  it('does not name it for what no option allows', async () => {
    await expect(service().create('ada', { ...hook, url: 'ftp://127.0.0.1/' })).rejects.toThrow('http');
    expect(log.messages).toEqual([]);
  });

  it('says that a webhook without events gets nothing, unless that was asked for', async () => {
    const made = [await service().create('ada', hook), await service().put('ada', { ...hook, uid: 'mine' })];
    expect(log.messages).toEqual(made.map(({ id }) => expect.stringMatching(new RegExp(`${id}.*events`))));
    await service().put('ada', { ...hook, uid: 'mine' });
    await service().create('ada', { ...hook, events: [] });
    await service().create('ada', { ...hook, events: ['RECORD_FINISHED'] });
    expect(log.messages).toHaveLength(2);
  });

  it('names an event whose kind the application forgot once, with what to do', async () => {
    const emitter = host.get(EventEmitter2);
    expect(await emitter.emitAsync('invoice.paid', event)).toEqual([]);
    expect(emitter.emit('invoice.paid', event)).toBe(false);
    expect(emitter.emit('invoice.lost', event)).toBe(false);
    expect(log.messages).toEqual([
      '"invoice.paid" was emitted with user_id and record, but nobody listens, so nothing was stored. Add its kind to ' +
        'the option eventKinds of WebhookModule, or correct the name; a constructor emits too early, so emit from onModuleInit on.',
      expect.stringContaining('"invoice.lost"'),
    ]);
  });

  it("does not name the application's other events", async () => {
    const emitter = host.get(EventEmitter2);
    emitter.on('invoice.sent', () => 'heard');
    expect(await emitter.emitAsync('invoice.sent', event)).toEqual(['heard']);
    expect(emitter.emit('invoice.sent', event)).toBe(true);
    for (const other of [undefined, null, 7, 'text', {}, { user_id: 'ada' }, { user_id: 7, record: {} }]) {
      expect(await emitter.emitAsync('invoice.seen', other)).toEqual([]);
    }
    expect(emitter.emit('invoice.seen')).toBe(false);
    await emitter.emitAsync('record.finished', { ...event, record: { id: 'r', analysis: [] } });
    expect(log.messages).toEqual([]);
  });
});

it('the log of a host names an event that a constructor emits', async () => {
  const log = new KeptLog();
  Logger.overrideLogger(log);
  @Injectable()
  class Early {
    constructor(emitter: EventEmitter2) {
      void emitter.emitAsync('record.finished', { user_id: 'ada', record: { id: 'rec_1', analysis: [] } });
    }
  }
  const imports = [EventEmitterModule.forRoot(), database(), webhookModule()];
  const builder = Test.createTestingModule({ imports, providers: [Early] });
  const app = await builder.setLogger(log).compile();
  expect(log.messages).toEqual([
    expect.stringMatching(
      /"record\.finished" was emitted .*nothing was stored.*a constructor emits too early.*onModuleInit/,
    ),
  ]);
  await app.close();
  Logger.overrideLogger(true);
});
