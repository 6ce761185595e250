import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/index.js';
import type { IntakeOutcome } from './intake-handler.js';
import { Outage } from './outage.js';

const AWAY: IntakeOutcome = { outcome: 'not_now', code: 'database_unavailable', detail: 'away' };
const REFUSED: IntakeOutcome = { outcome: 'refused', refusal: { code: 'c', detail: 'd', errors: [] } };
const STORED = { outcome: 'stored', notification: {} } as IntakeOutcome;
const isWanted = () => true;

function outage() {
  const log: string[] = [];
  const note = (text: string) => void log.push(text);
  const stopping = new AbortController();
  const clock = new TestClock();
  const tools = {
    logger: { log: note, warn: note, error: note },
    metrics: { taken: () => {}, retried: () => {} },
    clock,
    stop: stopping.signal,
    giveBack: note,
  };
  return { log, stopping, clock, outage: new Outage(tools) };
}

/** Resolves when the message that was handed over first has found the outage. */
const begun = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

describe('an outage', () => {
  it('ends when another message is stored than the one that found it, which goes on waiting by itself', async () => {
    const { log, outage: one } = outage();
    const stuck = one.handle(async () => AWAY, isWanted);
    await begun();
    const other = one.handle(async () => STORED, isWanted);
    expect(await other).toBe(STORED);
    expect(await stuck).toBe(AWAY);
    expect(log).toEqual([expect.stringMatching(/wait for/), expect.stringMatching(/there again/)]);
    await one.over();
  });

  it('goes on as long as no message is stored, and tries one at a time', async () => {
    const { outage: one } = outage();
    let [running, tries] = [0, 0];
    const handle = async () => {
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running--;
      return ++tries < 4 ? AWAY : STORED;
    };
    const first = one.handle(handle, isWanted);
    await begun();
    // The first, another one, the first, another one: that is answered.
    expect(await one.handle(handle, isWanted)).toBe(STORED);
    expect(tries).toBe(4);
    expect(await first).toBe(AWAY);
  });

  it('goes on after a message that is refused without the database', async () => {
    const { log, stopping, outage: one } = outage();
    const stuck = one.handle(async () => AWAY, isWanted);
    await begun();
    expect(await one.handle(async () => REFUSED, isWanted)).toBe(REFUSED);
    expect(log).toHaveLength(1);
    stopping.abort();
    expect(await stuck).toBeNull();
  });

  it('leaves out messages that matter no more, and gives up when the intake stops', async () => {
    const { stopping, outage: one } = outage();
    const stuck = one.handle(async () => AWAY, isWanted);
    await begun();
    const gone = one.handle(
      async () => REFUSED,
      () => false,
    );
    expect(await gone).toBeNull();
    stopping.abort();
    expect(await stuck).toBeNull();
  });

  it('has the broker take all back after ten minutes, and goes on trying one of them', async () => {
    const { log, clock, outage: one } = outage();
    let [isBack, isThere] = [false, false];
    const wait = () =>
      one.handle(
        async () => (isThere ? STORED : AWAY),
        () => !isBack,
      );
    const first = wait();
    await begun();
    const other = wait();
    clock.advance(600_000);
    expect(log.at(-1)).toMatch(/ten minutes/);
    isBack = true;
    expect(await other).toBeNull();
    isThere = true;
    expect(await first).toBe(STORED);
    await one.over();
    expect(log).toHaveLength(3);
  });
});
