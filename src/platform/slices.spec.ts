import { describe, expect, it } from '@jest/globals';
import { Slices } from './slices.js';

const busy = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('Slices', () => {
  it('runs a single piece at once', async () => {
    let ran = false;
    const slices = new Slices();
    const done = slices.run(() => {
      ran = true;
      return 7;
    });
    expect(ran).toBe(true);
    expect(await done).toBe(7);
  });

  it('keeps the order and lets the event loop turn in between', async () => {
    const slices = new Slices();
    const order: number[] = [];
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const all = Array.from({ length: 40 }, (_, index) =>
      slices.run(() => {
        busy(1);
        order.push(index);
      }),
    );
    expect(order.length).toBeLessThan(40);
    await Promise.all(all);
    done = true;
    expect(order).toEqual([...Array(40).keys()]);
    expect(turns).toBeGreaterThan(4);
  });

  it('rejects a piece that throws and goes on', async () => {
    const slices = new Slices();
    const bad = slices.run(() => {
      throw new Error('a bug');
    });
    await expect(bad).rejects.toThrow('a bug');
    expect(await slices.run(() => 'on')).toBe('on');
  });
});
