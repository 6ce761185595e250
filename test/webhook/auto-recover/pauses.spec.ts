import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import type { Json } from '../recovery/scene.js';
import { SOON, useProbing } from './scene.js';

const DAY_MS = 24 * 3_600_000;
/** Later than due by the step of the clock, and by a look of the service. */
const LATE_MS = 2500;
/** How long before it is due it is looked for. */
const EARLY_MS = 2500;

describe.each(databases)('the pauses between the probes of a disabled webhook, on $name', (kind) => {
  const { clock, service, receiver, second, failing, report, webhookOf, triggersOf } = useProbing(kind);

  /** A webhook that was disabled just now, and its only failed trigger. */
  async function disabled(): Promise<Json> {
    const mine = await failing({ retry_schedule_seconds: [5, 3600] });
    for (const _ of [1, 2]) {
      const { triggers } = await report(mine);
      await triggerWhen(service, triggers[0].id, ({ attempt_count }) => attempt_count > 0);
      clock.advance(400);
    }
    await until(async () => (await webhookOf(mine)).disabled_reason === 'failing');
    return mine;
  }

  const stored = async (mine: Json): Promise<number> =>
    (await triggersOf(mine)).reduce((sum, { attempt_count }) => sum + attempt_count, 0);
  const isProbing = async ({ id }: Json): Promise<boolean> =>
    (await service.query('SELECT probe_id FROM webhook WHERE id = ?', [id]))[0].probe_id !== null;

  /** Lets the next probe come, which must be neither sooner nor later. */
  async function expectPause(mine: Json, about: number): Promise<void> {
    const before = receiver.at(mine.path).length;
    const begin = clock.monotonic();
    for (let step = 0; step < 20; step++) clock.advance((about - EARLY_MS) / 20);
    await second();
    expect(receiver.at(mine.path)).toHaveLength(before);
    // A probe is on its way once it is waiting in the queue: what it needs then is no time of the clock. It may also be over.
    while (!(await isProbing(mine)) && (await stored(mine)) <= before) await second();
    const took = clock.monotonic() - begin;
    await until(async () => (await stored(mine)) > before);
    await until(async () => !(await isProbing(mine)));
    expect(took).toBeLessThanOrEqual(about + LATE_MS);
  }

  it('begin with the first one of its schedule, and double up to an hour', async () => {
    const mine = await disabled();
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
      await expectPause(mine, seconds * 1000);
  });

  it('are as long as the receiver asks for', async () => {
    const mine = await disabled();
    receiver.respondWith(mine.path, { status: 503, headers: { 'retry-after': '600' } });
    await expectPause(mine, 5000);
    await expectPause(mine, 600_000);
  });

  it('do not grow by a clock that was set back', async () => {
    const mine = await disabled();
    await expectPause(mine, 5000);
    await service.stop();
    clock.step(-DAY_MS);
    const before = receiver.at(mine.path).length;
    await service.database.start(SOON);
    await until(() => receiver.at(mine.path).length > before);
  });
});
