import { describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '@nestjs/common';
import { TestClock } from '../module/testing/test-clock.js';
import type { Job } from './job.js';
import { Jobs } from './jobs.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<null>(() => {});

function scene() {
  const clock = new TestClock();
  const jobs = new Jobs(clock);
  const usual: Job = {
    logger: { error() {} } as unknown as Logger,
    failure: 'Not done',
    runs: 'sending',
    firstAfterMs: 0,
    againAfterErrorMs: 50,
    step: async () => null,
  };
  const add = (job: Partial<Job>) => jobs.add({ ...usual, ...job });
  /** Lets time pass, and what comes of it happen. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turn();
  };
  return { jobs, add, pass };
}

it('a job does not keep another one, whatever it does', async () => {
  const { jobs, add, pass } = scene();
  const step = jest.fn(async () => null);
  add({ step: never });
  add({ step });
  jobs.start();
  await pass(0);
  expect(step).toHaveBeenCalledTimes(1);
});

describe('A process that does not send', () => {
  it.each<[Job['runs'], number]>([
    ['sending', 0],
    // Not by time: those that send look for what was left.
    ['sending or woken', 1],
    ['everywhere', 2],
  ])('takes of a job that runs "%s" and is woken %s steps', async (runs, steps) => {
    const { add, pass } = scene();
    const step = jest.fn(async () => 100);
    const job = add({ runs, step });
    await pass(1000);
    expect(step).toHaveBeenCalledTimes(0);
    job.wake();
    await pass(0);
    await pass(100);
    expect(step).toHaveBeenCalledTimes(steps);
  });

  it('takes a step again that it was woken for and that failed', async () => {
    const { add, pass } = scene();
    const step = jest.fn(async () => 100);
    step.mockRejectedValueOnce(new Error('no disk'));
    const job = add({ runs: 'sending or woken', step });
    job.wake();
    await pass(0);
    await pass(50);
    await pass(1000);
    expect(step).toHaveBeenCalledTimes(2);
  });
});

describe('A stop', () => {
  it.each(['stop', 'quiet'] as const)('(%s) waits for the step under way, and none follows', async (way) => {
    const { jobs, add, pass } = scene();
    let end = () => {};
    let steps = 0;
    const job = add({
      async step() {
        steps++;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        return 0;
      },
    });
    jobs.start();
    await pass(0);
    job.wake();
    let isQuiet = false;
    const quiet = jobs[way]().then(() => {
      isQuiet = true;
    });
    await pass(0);
    expect(job.isStopping).toBe(true);
    expect(isQuiet).toBe(false);
    end();
    await quiet;
    job.wake();
    job.wakeAfter(1);
    await pass(1000);
    expect(steps).toBe(1);
  });

  it('waits for what steps began beside themselves, also if that of another job fails', async () => {
    const { jobs, add } = scene();
    add({ settled: () => Promise.reject(new Error('no disk')) });
    let end = () => {};
    const beside = new Promise<void>((resolve) => {
      end = resolve;
    });
    add({ settled: () => beside });
    let isQuiet = false;
    const quiet = jobs.quiet().then(() => {
      isQuiet = true;
    });
    await turn();
    expect(isQuiet).toBe(false);
    end();
    await quiet;
  });

  it('comes in time even if a step never ends', async () => {
    const { jobs, add, pass } = scene();
    const step = jest.fn(never);
    const job = add({ step });
    jobs.start();
    await pass(0);
    await jobs.stop();
    job.wake();
    await pass(1000);
    expect(step).toHaveBeenCalledTimes(1);
  });

  it('of sending leaves what every process does, until all is stopped', async () => {
    const { jobs, add, pass } = scene();
    const steps = { sending: 0, 'sending or woken': 0, everywhere: 0 };
    for (const runs of ['sending', 'sending or woken', 'everywhere'] as const)
      add({
        runs,
        async step() {
          steps[runs]++;
          return 100;
        },
      });
    jobs.start();
    await pass(0);
    await jobs.stopSending();
    await pass(100);
    expect(steps).toEqual({ sending: 1, 'sending or woken': 2, everywhere: 2 });
    await jobs.stop();
    await pass(1000);
    expect(steps).toEqual({ sending: 1, 'sending or woken': 2, everywhere: 2 });
  });

  it('before the start is for good', async () => {
    const { jobs, add, pass } = scene();
    const step = jest.fn(async () => 0);
    const job = add({ runs: 'everywhere', step });
    await jobs.stop();
    jobs.start();
    job.wake();
    add({ runs: 'everywhere', step }).wake();
    await pass(1000);
    expect(step).toHaveBeenCalledTimes(0);
  });
});

it('a job that comes after the start begins at once', async () => {
  const { jobs, add, pass } = scene();
  const step = jest.fn(async () => null);
  jobs.start();
  add({ step });
  await pass(0);
  expect(step).toHaveBeenCalledTimes(1);
});
