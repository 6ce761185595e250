import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../module/testing/test-clock.js';
import { EventStream } from './event-stream.js';
import { OpenStream } from './open-stream.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function opened(isAdmitted = async () => true) {
  const clock = new TestClock();
  const stream = new EventStream();
  let text = '';
  let cuts = 0;
  let ended = false;
  const open = new OpenStream(stream, {
    clock,
    isAdmitted,
    cut: () => {
      cuts++;
      stream.destroy();
    },
  });
  return {
    open,
    stream,
    read() {
      stream.on('data', (bytes) => {
        text += bytes;
      });
      stream.on('end', () => {
        ended = true;
      });
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1000) {
        clock.advance(1000);
        await settled();
      }
    },
    get seen() {
      return { comments: text.split(':\n').length - 1, cuts, ended };
    },
  };
}

describe('a stream that is open', () => {
  it('shows every 15 s that it is, and where it stands', async () => {
    const one = opened();
    one.read();
    await one.pass(14_000);
    expect(one.seen.comments).toBe(0);
    one.stream.position = () => '7.x';
    await one.pass(46_000);
    expect(one.seen).toEqual({ comments: 4, cuts: 0, ended: false });
  });

  it('ends within 10 s when its caller is not admitted any more', async () => {
    let isAdmitted = true;
    const one = opened(async () => isAdmitted);
    one.read();
    await one.pass(25_000);
    expect(one.seen.ended).toBe(false);
    isAdmitted = false;
    await one.pass(10_000);
    expect(one.seen).toMatchObject({ ended: true, cuts: 0 });
  });

  it('ends after a quarter of an hour at most', async () => {
    const one = opened();
    one.read();
    await one.pass(595_000);
    expect(one.seen.ended).toBe(false);
    await one.pass(310_000);
    expect(one.seen).toMatchObject({ ended: true, cuts: 0 });
  });

  it('is cut off when its client reads nothing from one comment to the next', async () => {
    const one = opened();
    one.stream.send(Buffer.alloc(1000));
    await one.pass(29_000);
    expect(one.seen.cuts).toBe(0);
    await one.pass(2000);
    expect(one.seen.cuts).toBe(1);
  });

  it('goes on while its client reads, however slowly', async () => {
    const one = opened();
    for (let part = 0; part < 10; part++) {
      one.stream.send(Buffer.alloc(1000));
      await one.pass(15_000);
      expect(one.stream.read(500)).toHaveLength(500);
    }
    expect(one.seen.cuts).toBe(0);
  });

  it('is cut off when its client does not read the end', async () => {
    const one = opened();
    one.stream.send(Buffer.alloc(1000));
    one.open.end();
    await one.pass(6000);
    expect(one.seen.cuts).toBe(1);
  });
});
