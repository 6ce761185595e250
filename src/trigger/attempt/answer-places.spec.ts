import { describe, expect, it } from '@jest/globals';
import { AnswerPlaces } from './answer-places.js';

const never = () => new AbortController().signal;

/** Takes until somebody has to wait. */
async function fill(places: AnswerPlaces, user: string): Promise<(() => void)[]> {
  const leaves: (() => void)[] = [];
  for (;;) {
    const gone = new AbortController();
    const taking = places.take(user, gone.signal);
    gone.abort();
    const leave = await taking;
    if (!leave) return leaves;
    leaves.push(leave);
  }
}

describe('places for large answers', () => {
  it('stay free for others when one user gives none back', async () => {
    const places = new AnswerPlaces();
    const mine = await fill(places, 'mine');
    const theirs = await fill(places, 'theirs');
    expect(mine.length).toBeGreaterThan(0);
    expect(theirs).toHaveLength(mine.length);
  });

  it('go to waiting users in order of arrival, however many there are', async () => {
    const places = new AnswerPlaces();
    const leaves: (() => void)[] = [];
    for (let user = 0; ; user++) {
      const taken = await fill(places, `user ${user}`);
      if (taken.length === 0) break;
      leaves.push(...taken);
    }
    const entered: string[] = [];
    const waiting = ['first', 'second', 'third'].map(async (user) => {
      const leave = await places.take(user, never());
      entered.push(user);
      leave?.();
    });
    expect(entered).toEqual([]);
    leaves[0]?.();
    await Promise.all(waiting);
    expect(entered).toEqual(['first', 'second', 'third']);
  });

  it('are given back only once and can be taken again', async () => {
    const places = new AnswerPlaces();
    const [leave, ...others] = await fill(places, 'mine');
    leave?.();
    leave?.();
    expect(await fill(places, 'mine')).toHaveLength(1);
    for (const one of others) one();
    expect(await fill(places, 'mine')).toHaveLength(others.length);
  });

  it('answers 429 when a hundred calls wait already', async () => {
    const places = new AnswerPlaces();
    await fill(places, 'mine');
    const gone = new AbortController();
    const waiting = Array.from({ length: 100 }, () => places.take('mine', gone.signal));
    await expect(places.take('mine', never())).rejects.toMatchObject({
      status: 429,
      code: 'too_many_answers',
      headers: { 'Retry-After': '1' },
    });
    gone.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
  });
});
