import { describe, expect, it } from '@jest/globals';
import { AnswerCapacity } from './answer-capacity.js';

const never = () => new AbortController().signal;

/** Takes until somebody has to wait. */
async function fill(places: AnswerCapacity, user: string): Promise<(() => void)[]> {
  const leaves: (() => void)[] = [];
  for (;;) {
    const gone = new AbortController();
    const taking = places.take(user, 1, gone.signal);
    gone.abort();
    const leave = await taking;
    if (!leave) return leaves;
    leaves.push(leave);
  }
}

describe('the capacity for large answers', () => {
  it('stay free for others when one user gives none back', async () => {
    const places = new AnswerCapacity();
    const mine = await fill(places, 'mine');
    const theirs = await fill(places, 'theirs');
    expect(mine.length).toBeGreaterThan(0);
    expect(theirs).toHaveLength(mine.length);
  });

  it('go to waiting users in order of arrival, however many there are', async () => {
    const places = new AnswerCapacity();
    const leaves: (() => void)[] = [];
    for (let user = 0; ; user++) {
      const taken = await fill(places, `user ${user}`);
      if (taken.length === 0) break;
      leaves.push(...taken);
    }
    const entered: string[] = [];
    const waiting = ['first', 'second', 'third'].map(async (user) => {
      const leave = await places.take(user, 1, never());
      entered.push(user);
      leave?.();
    });
    expect(entered).toEqual([]);
    leaves[0]?.();
    await Promise.all(waiting);
    expect(entered).toEqual(['first', 'second', 'third']);
  });

  it('are given back only once and can be taken again', async () => {
    const places = new AnswerCapacity();
    const [leave, ...others] = await fill(places, 'mine');
    leave?.();
    leave?.();
    expect(await fill(places, 'mine')).toHaveLength(1);
    for (const one of others) one();
    expect(await fill(places, 'mine')).toHaveLength(others.length);
  });

  it('answers 429 when a hundred calls wait already', async () => {
    const places = new AnswerCapacity();
    await fill(places, 'mine');
    const gone = new AbortController();
    const waiting = Array.from({ length: 100 }, () => places.take('mine', 1, gone.signal));
    await expect(places.take('mine', 1, never())).rejects.toMatchObject({
      status: 429,
      code: 'too_many_answers',
      headers: { 'Retry-After': '1' },
    });
    gone.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
  });
});
