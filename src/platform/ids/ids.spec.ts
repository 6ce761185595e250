import { describe, expect, it } from '@jest/globals';
import { isId, newId } from './ids.js';

describe('newId', () => {
  it('makes ids that sort in the order they were made, however fast', () => {
    const ids = Array.from({ length: 10_000 }, newId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every(isId)).toBe(true);
  });

  it('starts with the time', () => {
    const before = Date.now();
    const made = Number.parseInt(newId().replace('-', '').slice(0, 12), 16);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
  });
});

describe('isId', () => {
  const id = '0199a1b2-c3d4-7e5f-8a6b-0123456789ab';

  it('accepts only the canonical form of a UUIDv7', () => {
    expect(isId(id)).toBe(true);
    for (const other of [
      id.toUpperCase(),
      `${id} `,
      `${id}\n`,
      id.replaceAll('-', ''),
      `{${id}}`,
      '',
      null,
      7,
      [id],
    ]) {
      expect(isId(other)).toBe(false);
    }
    expect(isId(id.replace('-7', '-4'))).toBe(false);
    expect(isId(id.replace('-8', '-c'))).toBe(false);
  });
});
