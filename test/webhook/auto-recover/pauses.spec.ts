import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { databases } from '../../support/databases.js';
import { newUser, notify, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { failing, type Json, requestsAt, SOON, useProbing, webhookOf } from './scene.js';

const DAY_MS = 24 * 3_600_000;
/** Later than due by the step of the clock, and by a look of the service. */
const LATE_MS = 2500;
/** How long before it is due it is looked for. */
const EARLY_MS = 2500;

describe.each(databases)('the pauses between the probes of a disabled webhook, on $name', (kind) => {
  const { clock, service, receiver, second } = useProbing(kind);

  /** A webhook that was disabled just now, and its only failed trigger. */
  async function disabled(): Promise<Json> {
    const mine = await failing(service, receiver, newUser(), { retry_schedule_seconds: [5, 3600] });
    for (const _ of [1, 2]) {
      const { body } = await notify(service, mine.user_id);
      await triggerWhen(service, body.triggers[0].id, ({ attempt_count }) => attempt_count > 0);
      clock.advance(400);
    }
    await until(async () => (await webhookOf(service, mine)).disabled_reason === 'failing');
    return mine;
  }

  const stored = async (mine: Json): Promise<number> => {
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${mine.id}`);
    return body.data.reduce((sum: number, { attempt_count }: Json) => sum + attempt_count, 0);
  };

  /** Lets the next probe come, which must not be sooner. @returns by the clock, how long that took. */
  async function pause(mine: Json, about: number): Promise<number> {
    const before = requestsAt(receiver, mine).length;
    const begin = clock.monotonic();
    for (let step = 0; step < 20; step++) clock.advance((about - EARLY_MS) / 20);
    await second();
    expect(requestsAt(receiver, mine)).toHaveLength(before);
    // A probe is on its way once it is waiting in the queue: what it needs then is no time of the clock. It may also be over.
    while ((await probing(mine)) === null && (await stored(mine)) <= before) await second();
    const took = clock.monotonic() - begin;
    await until(async () => (await stored(mine)) > before);
    await until(async () => (await probing(mine)) === null);
    return took;
  }
  async function probing({ id }: Json): Promise<string | null> {
    const [row] = await service.app.get(DataSource).query('SELECT probe_id FROM webhook WHERE id = ?', [id]);
    return row.probe_id;
  }

  it('begin with the first one of its schedule, and double up to an hour', async () => {
    const mine = await disabled();
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]) {
      const took = await pause(mine, seconds * 1000);
      expect(took).toBeLessThanOrEqual(seconds * 1000 + LATE_MS);
    }
  });

  it('are as long as the receiver asks for', async () => {
    const mine = await disabled();
    receiver.respondWith(mine.path, { status: 503, headers: { 'retry-after': '600' } });
    await pause(mine, 5000);
    const took = await pause(mine, 600_000);
    expect(took).toBeLessThanOrEqual(600_000 + LATE_MS);
  });

  it('do not grow by a clock that was set back', async () => {
    const mine = await disabled();
    await pause(mine, 5000);
    await service.stop();
    clock.step(-DAY_MS);
    const before = requestsAt(receiver, mine).length;
    await service.database.start(SOON);
    await until(() => requestsAt(receiver, mine).length > before);
  });
});
