import { describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '@nestjs/common';
import { TestClock } from '../module/testing/test-clock.js';
import { Call, currentCall, withinCall } from '../platform/call.js';
import type { Clock } from '../platform/clock.js';
import type { Job } from './job.js';
import { RunningJob } from './running-job.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<null>(() => {});

function jobOf(given: Partial<Job>, after?: Clock['after']) {
  const clock = new TestClock();
  if (after) clock.after = after;
  const error = jest.fn();
  const job = new RunningJob(clock, {
    logger: { error } as unknown as Logger,
    failure: 'Not done',
    runs: 'sending',
    firstAfterMs: 0,
    againAfterErrorMs: 50,
    step: async () => null,
    ...given,
  });
  /** Lets time pass, and what comes of it happen. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turn();
  };
  return { job, error, pass };
}

describe('A job', () => {
  it('takes its next step when the last one said, and none if it said none', async () => {
    const answers = [100, null];
    let steps = 0;
    const { job, pass } = jobOf({ step: async () => answers[steps++] ?? null });
    job.start();
    await pass(0);
    await pass(99);
    expect(steps).toBe(1);
    await pass(1);
    expect(steps).toBe(2);
    await pass(10_000);
    expect(steps).toBe(2);
  });

  it.each([
    [0, 1],
    [70, 0],
  ])('takes its first step %s ms after the start', async (firstAfterMs, atOnce) => {
    const step = jest.fn(async () => null);
    const { job, pass } = jobOf({ firstAfterMs, step });
    job.start();
    await turn();
    expect(step).toHaveBeenCalledTimes(atOnce);
    await pass(70);
    expect(step).toHaveBeenCalledTimes(1);
  });

  it('takes one step at a time, however often and by whomever it is woken', async () => {
    let under = 0;
    let most = 0;
    let steps = 0;
    const { job, pass } = jobOf({
      async step() {
        most = Math.max(most, ++under);
        for (let i = 0; i < 3; i++) job.wake();
        await turn();
        under--;
        return ++steps < 5 ? 0 : never();
      },
    });
    job.start();
    while (steps < 5) await pass(1);
    expect(most).toBe(1);
  });

  it('that is woken during a step takes another one, and a single one however often', async () => {
    const ends: (() => void)[] = [];
    const { job, pass } = jobOf({ step: () => new Promise((resolve) => ends.push(() => resolve(null))) });
    job.start();
    await pass(0);
    for (let i = 0; i < 5; i++) job.wake();
    await pass(0);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await pass(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await pass(1000);
    expect(ends).toHaveLength(2);
  });

  it('can be woken at a time, in place of the one before', async () => {
    const step = jest.fn(async () => null);
    const { job, pass } = jobOf({ firstAfterMs: null, step });
    job.start();
    job.wakeAfter(10);
    job.wakeAfter(30);
    await pass(10);
    expect(step).toHaveBeenCalledTimes(0);
    await pass(20);
    expect(step).toHaveBeenCalledTimes(1);
  });

  it.each<[string, () => Promise<null>]>([
    ['is rejected', () => Promise.reject(new Error('no disk'))],
    [
      'throws before it waits for anything',
      () => {
        throw new Error('no disk');
      },
    ],
  ])('tells why a step failed that %s, and takes it again', async (_, fail) => {
    const step = jest.fn(fail);
    const { job, error, pass } = jobOf({ step });
    job.start();
    await pass(0);
    expect(error).toHaveBeenCalledWith('Not done: no disk');
    await pass(49);
    expect(step).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('survives a step that fails with no error', async () => {
    const step = jest.fn(() => Promise.reject(null));
    const { job, error, pass } = jobOf({ step });
    job.start();
    await pass(50);
    expect(error).toHaveBeenCalledWith('Not done: null');
    await pass(50);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('is not bound by the deadline of the call that wakes it, now or later', async () => {
    const calls: (Call | null)[] = [];
    const { job, pass } = jobOf({
      firstAfterMs: null,
      async step() {
        calls.push(currentCall());
        return null;
      },
    });
    job.start();
    withinCall(new Call(), () => {
      job.wake();
      job.wakeAfter(10);
    });
    await pass(0);
    await pass(10);
    expect(calls).toEqual([null, null]);
  });

  it('leaves no timer behind when it ends', async () => {
    const timers = new Set<number>();
    let count = 0;
    const { job } = jobOf({ firstAfterMs: 10 }, () => {
      const timer = count++;
      timers.add(timer);
      return () => timers.delete(timer);
    });
    job.start();
    expect(timers.size).toBe(1);
    await job.end();
    expect(timers.size).toBe(0);
    job.wakeAfter(10);
    expect(count).toBe(1);
  });
});
