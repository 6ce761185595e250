import { describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '@nestjs/common';
import { TestClock } from '../module/testing/test-clock.js';
import { BackgroundTask } from './background-task.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function taskOf(run: () => Promise<number | null>) {
  const clock = new TestClock();
  const error = jest.fn();
  const logger = { error } as unknown as Logger;
  const task = new BackgroundTask(clock, run, { logger, failure: 'Not done', againAfterErrorMs: 50 });
  return { clock, error, task };
}

describe('A background task', () => {
  it('runs again only when a run asks for it', async () => {
    const answers = [100, null];
    let runs = 0;
    const { clock, task } = taskOf(async () => answers[runs++] ?? null);
    task.runNow();
    await turn();
    clock.advance(99);
    await turn();
    expect(runs).toBe(1);
    clock.advance(1);
    await turn();
    clock.advance(10_000);
    await turn();
    expect(runs).toBe(2);
  });

  it('never runs twice at once, however often it is triggered', async () => {
    let under = 0;
    let most = 0;
    let runs = 0;
    const { task } = taskOf(async () => {
      runs++;
      most = Math.max(most, ++under);
      await turn();
      under--;
      return null;
    });
    for (let i = 0; i < 5; i++) task.runNow();
    while (runs < 5) await turn();
    expect(most).toBe(1);
  });

  it('logs why a run failed, and runs again', async () => {
    let runs = 0;
    const { clock, error, task } = taskOf(async () => {
      runs++;
      throw new Error('no disk');
    });
    task.runNow();
    await turn();
    expect(error).toHaveBeenCalledWith('Not done: no disk');
    clock.advance(50);
    await turn();
    expect(runs).toBe(2);
  });

  it('stops in time even if a run never ends, and does not run again', async () => {
    let runs = 0;
    const { clock, task } = taskOf(() => {
      runs++;
      return new Promise(() => {});
    });
    task.runNow();
    await turn();
    await task.stop();
    expect(task.isStopped).toBe(true);
    task.runAfter(1);
    clock.advance(10);
    await turn();
    expect(runs).toBe(1);
  });
});
