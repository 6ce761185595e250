import { describe, expect, it } from '@jest/globals';
import { type FoundNotification, smallBytes, withLargeBodies } from './claimed-bodies.js';

const MEBIBYTE = 1024 * 1024;
const COUNT = 400;

/** What the first read brings. */
const foundOf = (sizes: number[]): FoundNotification[] =>
  sizes.map((bytes, index) => ({
    ...{ id: `${index}`, traceparent: null, hops: 0, bytes },
    body: bytes <= smallBytes(sizes.length) ? Buffer.alloc(bytes) : null,
  }));

describe('the bodies of a claim', () => {
  const read: string[] = [];
  const readBodies = async (ids: string[]) => {
    read.push(...ids);
    return ids.map((id) => ({ id, body: Buffer.alloc(MEBIBYTE) }));
  };

  it('are all read at once where none is large', async () => {
    const sizes = Array<number>(COUNT).fill(smallBytes(COUNT));
    const notifications = await withLargeBodies(foundOf(sizes), readBodies);
    expect(notifications.every(({ body, isUnread }) => body !== null && !isUnread)).toBe(true);
    expect(read).toEqual([]);
  });

  it('are 64 MiB at most, however many are large', async () => {
    const notifications = await withLargeBodies(foundOf(Array<number>(COUNT).fill(MEBIBYTE)), readBodies);
    expect(read).toHaveLength(64);
    expect(notifications.filter(({ body }) => body !== null)).toHaveLength(64);
    expect(notifications.filter(({ isUnread }) => isUnread)).toHaveLength(COUNT - 64);
  });

  it('count as gone where they were erased meanwhile, or have been before', async () => {
    const [erased, gone] = await withLargeBodies(
      [...foundOf([0]), { id: 'gone', traceparent: null, hops: 0, bytes: null, body: null }],
      readBodies,
    );
    expect(erased).toMatchObject({ body: Buffer.alloc(0), isUnread: false });
    expect(gone).toMatchObject({ body: null, isUnread: false });
  });
});
