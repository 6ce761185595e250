import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { LifecyclePublisher, WebhookService } from '../../src/index.js';
import { type MockedWebhooks, mockWebhooks } from '../../src/module/testing/index.js';
import { PATIENCE_MS } from '../support/until.js';
import { database, emitter, webhookModule } from './application.js';

const NEEDLE = 'needle-7c1f';
const URL = `https://crm.example.com:8443/${NEEDLE}?token=${NEEDLE}`;

describe("an application's log", () => {
  let app: TestingModule;
  let mocked: MockedWebhooks;
  let lines: string[];

  beforeEach(() => {
    lines = [];
    const keep = (line: string | Uint8Array) => {
      lines.push(stripVTControlCharacters(String(line)));
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.close();
  });

  /** Starts an application with Nest's logger at these levels, and a webhook full of secrets. */
  async function start(logLevels: LogLevel[]): Promise<void> {
    const imports = [emitter(), database(), webhookModule()];
    const builder = Test.createTestingModule({ imports }).setLogger(new ConsoleLogger({ logLevels }));
    mocked = mockWebhooks(builder);
    app = await builder.compile();
    await app.init();
    await app.get(WebhookService, { strict: false }).create('ada', {
      name: NEEDLE,
      url: URL,
      events: ['RECORD_FINISHED'],
      headers: { Authorization: NEEDLE },
    });
    lines.length = 0;
  }

  async function deliver(): Promise<void> {
    const event = { user_id: 'ada', record: { id: NEEDLE, analysis: [] } };
    await app.get(LifecyclePublisher, { strict: false }).publish('record.finished', event);
    await mocked.idle(app, PATIENCE_MS);
  }

  it.each([
    [200, '200', 'SUCCEEDED'],
    [503, '503 (http_status)', 'PENDING'],
    [302, '302 (redirect)', 'PENDING'],
    ['timeout' as const, 'timeout', 'PENDING'],
    ['connection_refused' as const, 'connection_refused', 'PENDING'],
  ])(
    'has one line at debug for an attempt that ended with %s, and nothing secret',
    async (answer, result, status) => {
      await start(['error', 'warn', 'log', 'debug', 'verbose']);
      mocked.transport.answerWith(answer);
      await deliver();
      const said = `RECORD_FINISHED to crm.example.com:8443, attempt 1: ${result} after 0 ms; trigger `;
      expect(lines).toEqual([expect.stringMatching(/ DEBUG \[Delivery\] [^\n]+\n$/)]);
      expect(lines[0]).toContain(said);
      expect(lines[0]).toContain(` is ${status}\n`);
      expect(lines[0]).not.toContain(NEEDLE);
    },
  );

  it('counts the attempts, up to the last one', async () => {
    await start(['debug']);
    mocked.transport.answerWith(503);
    await deliver();
    for (let hours = 0; hours < 7; hours++) {
      mocked.clock.advance(13 * 3_600_000);
      await mocked.idle(app, PATIENCE_MS);
    }
    expect(lines.map((line) => Number(/attempt (\d+)/.exec(line)?.[1]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(lines.at(-1)).toContain(' is FAILED\n');
  });

  it('has nothing about attempts above debug', async () => {
    await start(['error', 'warn', 'log']);
    mocked.transport.answerWith(503);
    await deliver();
    expect(lines).toEqual([]);
  });

  it('says at warn that a webhook was disabled, because it gets nothing more', async () => {
    await start(['error', 'warn', 'log']);
    mocked.transport.answerWith(410);
    await deliver();
    expect(lines).toEqual([expect.stringMatching(/ WARN \[Delivery\] .*webhook disabled.*gone/s)]);
    expect(lines[0]).not.toContain(NEEDLE);
  });
});
