import type { INestApplicationContext } from '@nestjs/common';
import { CLOCK } from '../common/clock.js';
import { BacklogRepository } from '../delivery/queue/backlog.repository.js';
import { WebhookQueues } from '../delivery/queue/webhook-queues.js';
import { URL_JUDGE, type UrlJudge } from '../egress/url-judge.js';
import type { WebhookEventKind } from '../event/event-kinds.js';
import { TRANSPORT } from '../transport/transport.js';
import { type Delivered, FakeTransport } from './fake-transport.js';
import type { ModuleBuilder } from './module-builder.js';
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

/** What `compile()` fills. Nest does not document it, so it may be missing. */
interface Compiled {
  container?: { getModules?(): ReadonlyMap<unknown, unknown> };
}

/** Replaces the network and the clock, and reports what would have been sent. */
export interface MockedWebhooks {
  transport: FakeTransport;
  clock: TestClock;
  /**
   * Resolves with the first delivery that matches, including past ones.
   *
   * @param withinMs in real time. @default 2000
   * @throws Error that lists what was delivered instead.
   */
  expectDelivered(expected: ExpectedDelivery, withinMs?: number): Promise<Delivered>;
  /** Resolves when nothing is due or under way: nothing more is delivered until the clock moves. */
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
  checkBuilder(builder);
  const transport = new FakeTransport();
  builder.overrideProvider(TRANSPORT).useValue(transport);
  builder.overrideProvider(CLOCK).useValue(clock);
  builder.overrideProvider(URL_JUDGE).useValue(anywhere);
  return {
    transport,
    clock,
    async expectDelivered(expected, withinMs = 2000) {
      try {
        return await transport.waitFor((delivered) => isAsExpected(delivered, expected), withinMs);
      } catch {
        throw new Error(notDelivered(expected, transport.delivered));
      }
    },
    idle: (app, withinMs = 5000) => idle(app, clock, withinMs),
  };
}

function checkBuilder(builder: ModuleBuilder): void {
  if (typeof builder?.overrideProvider !== 'function') {
    throw new Error(
      'mockWebhooks needs the builder that Test.createTestingModule({ … }) returned, and not what compile() made of it.',
    );
  }
  const modules = (builder as Compiled).container?.getModules?.();
  if (modules && modules.size > 0) {
    throw new Error(
      'mockWebhooks replaced nothing: compile() was called before. Call mockWebhooks(builder) first, and builder.compile() after it.',
    );
  }
}

async function idle(app: INestApplicationContext, clock: TestClock, withinMs: number): Promise<void> {
  const queues = app.get(WebhookQueues, { strict: false });
  const backlog = app.get(BacklogRepository, { strict: false });
  const end = Date.now() + withinMs;
  while (queues.held > 0 || (await backlog.read(clock.now())).due > 0) {
    if (Date.now() > end) throw new Error(`Deliveries were still under way after ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
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
