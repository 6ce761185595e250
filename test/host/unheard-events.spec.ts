import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Injectable, Logger } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { WebhookModule } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { memory, valid } from './mistakes/start.js';
import { useHost } from './use-host.js';

const event = { user_id: 'ada', record: { id: 'inv_1' } };

describe.each(databases.slice(0, 1))('an event whose kind the application forgot', (kind) => {
  const warned: string[] = [];
  class Kept extends ConsoleLogger {
    override warn(message: string): void {
      warned.push(message);
    }
  }
  const host = useHost(kind, {
    lifetime: 'test',
    adapter: 'Fastify',
    logger: new Kept({ logLevels: ['warn'] }),
    webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
  });
  const emitter = () => host.app.get(EventEmitter2);

  beforeEach(() => {
    warned.length = 0;
  });

  it('is told in the log once for each name, with what to do', async () => {
    expect(await emitter().emitAsync('invoice.paid', event)).toEqual([]);
    expect(emitter().emit('invoice.paid', event)).toBe(false);
    expect(emitter().emit('invoice.lost', event)).toBe(false);
    expect(warned).toEqual([
      '"invoice.paid" was emitted with user_id and record, but nobody listens, so nothing was stored. Add its kind to ' +
        'the option eventKinds of WebhookModule, or correct the name; a constructor emits too early, so emit from onModuleInit on.',
      expect.stringContaining('"invoice.lost"'),
    ]);
  });

  it("is not confused with the application's other events", async () => {
    emitter().on('invoice.sent', () => 'heard');
    expect(await emitter().emitAsync('invoice.sent', event)).toEqual(['heard']);
    expect(emitter().emit('invoice.sent', event)).toBe(true);
    for (const other of [undefined, null, 7, 'text', {}, { user_id: 'ada' }, { user_id: 7, record: {} }]) {
      expect(await emitter().emitAsync('invoice.seen', other)).toEqual([]);
    }
    expect(emitter().emit('invoice.seen')).toBe(false);
    await emitter().emitAsync('record.finished', { ...event, record: { id: 'r', analysis: [] } });
    expect(warned).toEqual([]);
  });
});

it('an event that a constructor emits is told in the log', async () => {
  const warned: string[] = [];
  Logger.overrideLogger({ log() {}, error() {}, warn: (message: string) => void warned.push(message) });
  @Injectable()
  class Early {
    constructor(emitter: EventEmitter2) {
      void emitter.emitAsync('record.finished', { user_id: 'ada', record: { id: 'rec_1', analysis: [] } });
    }
  }
  const compiled = await Test.createTestingModule({
    imports: [EventEmitterModule.forRoot(), memory(), WebhookModule.forRoot(valid)],
    providers: [Early],
  })
    .setLogger({ log() {}, error() {}, warn: (message: string) => void warned.push(message) })
    .compile();
  expect(warned).toEqual([
    expect.stringMatching(
      /"record\.finished" was emitted .*nothing was stored.*a constructor emits too early.*onModuleInit/,
    ),
  ]);
  await compiled.init();
  await compiled.close();
  Logger.overrideLogger(true);
});
