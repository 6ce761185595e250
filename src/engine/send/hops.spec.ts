import { describe, expect, it } from '@jest/globals';
import { hopsOf, refuseLoop } from './hops.js';

const request = (value?: string | string[]) => ({ headers: { 'webhook-hops': value } });

describe('hops', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['3', 3],
    ['05', 5],
    ['6', 6],
    ['', 5],
    ['-1', 5],
    ['1.5', 5],
    ['1e0', 5],
    ['1, 1', 5],
    ['①', 5],
    [['1', '2'], 5],
  ])('are read from a header of %j as %d', (value, hops) => {
    expect(hopsOf(request(value))).toBe(hops);
  });

  it.each([undefined, '0', '5', 'x'])('let a call with a header of %j through', (value) => {
    expect(() => refuseLoop(request(value))).not.toThrow();
  });

  it.each(['6', '100', '9'.repeat(400)])('refuse a call with a header of %s', (value) => {
    expect(() => refuseLoop(request(value))).toThrow(expect.objectContaining({ code: 'too_many_hops' }));
  });
});
