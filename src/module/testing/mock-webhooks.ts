import type { INestApplicationContext } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { WebhookEventKind } from '../../event/event-kinds.js';
import { URL_JUDGE, type UrlJudge } from '../../network/address/url-judge.js';
import { TRANSPORT } from '../../network/transport/transport.js';
import { CLOCK } from '../../platform/clock.js';
import { type Delivered, FakeTransport } from './fake-transport.js';
import { idle, isSending, NOT_SENDING } from './idle.js';
import { checkBuilder, type ModuleBuilder } from './module-builder.js';
import { TestClock } from './test-clock.js';

/** Describes a delivery. A field that is left out matches anything. */
export interface ExpectedDelivery {
  eventKind?: WebhookEventKind | 'WEBHOOK_TEST';
  url?: string;
  /** 1, 2, ... */
  attempt?: number;
  /** Fields that the record must have, compared deeply; it may have others. Arrays are compared whole. */
  data?: Record<string, unknown>;
}

/** Replaces the network and the clock, and reports what would have been sent. */
export interface MockedWebhooks {
  transport: FakeTransport;
  clock: TestClock;
  /**
   * Resolves with the first delivery that matches, including past ones.
   *
   * @param withinMs in real time. @default 2000
   * @throws Error that lists what was delivered instead, or says that the application was not initialised.
   */
  expectDelivered(expected: ExpectedDelivery, withinMs?: number): Promise<Delivered>;
  /**
   * Resolves when nothing more is delivered until the clock moves: nothing is under way, and nothing is due, except to
   * receivers that are paused after failures.
   *
   * @param withinMs in real time. @default 5000
   * @throws Error if that takes longer, or if the application was not initialised.
   */
  idle(app: INestApplicationContext, withinMs?: number): Promise<void>;
}

const anywhere: UrlJudge = { faultOfForm: () => null, faultOfAddresses: async () => null };

/**
 * Makes an application under test deliver to a {@link FakeTransport} by a {@link TestClock}, without network or waiting.
 * Webhooks may point anywhere.
 *
 * @param builder from `Test.createTestingModule`, before it is compiled.
 * @throws Error if it is compiled already, because nothing can be replaced then.
 */
export function mockWebhooks(builder: ModuleBuilder, clock = new TestClock()): MockedWebhooks {
  checkBuilder(builder, 'mockWebhooks');
  const transport = new FakeTransport();
  let app: ModuleRef | undefined;
  builder.overrideProvider(TRANSPORT).useFactory({
    inject: [ModuleRef],
    factory(inside: ModuleRef) {
      app = inside;
      return transport;
    },
  });
  builder.overrideProvider(CLOCK).useValue(clock);
  builder.overrideProvider(URL_JUDGE).useValue(anywhere);
  return {
    transport,
    clock,
    async expectDelivered(expected, withinMs = 2000) {
      try {
        return await transport.waitFor((delivered) => isAsExpected(delivered, expected), withinMs);
      } catch {
        const isSilent = transport.delivered.length === 0 && app && !isSending(app);
        throw new Error(isSilent ? NOT_SENDING : notDelivered(expected, transport.delivered));
      }
    },
    idle: (context, withinMs = 5000) => idle(context, clock, withinMs),
  };
}

function isAsExpected({ url, attempt, payload }: Delivered, expected: ExpectedDelivery): boolean {
  return (
    (expected.eventKind === undefined || expected.eventKind === payload.event_kind) &&
    (expected.url === undefined || expected.url === url) &&
    (expected.attempt === undefined || expected.attempt === attempt) &&
    (expected.data === undefined || holds(payload.data, expected.data))
  );
}

/** True if `actual` has everything that `expected` has. Arrays must have the same length and order. */
function holds(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected);
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return false;
  }
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) return false;
  return Object.entries(expected).every(([key, value]) =>
    holds((actual as Record<string, unknown>)[key], value),
  );
}

function notDelivered(expected: ExpectedDelivery, delivered: Delivered[]): string {
  const lines = delivered.map(
    ({ url, attempt, payload }) =>
      `  ${payload.event_kind} to ${url}, attempt ${attempt}: ${JSON.stringify(payload.data).slice(0, 200)}`,
  );
  const instead = lines.length > 0 ? `Delivered were:\n${lines.join('\n')}` : 'Nothing was delivered.';
  return `Not delivered: ${JSON.stringify(expected)}. ${instead}`;
}
