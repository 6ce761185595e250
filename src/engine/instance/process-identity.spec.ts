import { describe, expect, it } from '@jest/globals';
import { fromText, hasEnded, type Observation, observe, ownIdentity, toText } from './process-identity.js';

const machine = 'a'.repeat(32);
const own = { machine, pid: 7, startedAt: '100' };
const other = { machine, pid: 8, startedAt: '90' };
const seen = (more: object = {}): Observation => ({ startedAt: '90', isDefunct: false, ...more });

describe('a process has ended', () => {
  it.each<[string, Observation, boolean]>([
    ['when its id is free', 'gone', true],
    ['when its id belongs to a process that started at another time', seen({ startedAt: '95' }), true],
    ['when it waits for its parent only', seen({ isDefunct: true }), true],
    ['not while it is there, running or stopped', seen(), false],
    ['not when nothing can be seen of it', null, false],
  ])('%s', (_, observed, expected) => {
    expect(hasEnded(own, other, observed)).toBe(expected);
    // Of another machine, or namespace, nothing is known.
    expect(hasEnded(own, { ...other, machine: 'b'.repeat(32) }, observed)).toBe(false);
  });

  it('when its successor has its id in a namespace that was made anew', () => {
    expect(hasEnded(own, { ...own, startedAt: '90' }, seen({ startedAt: own.startedAt }))).toBe(true);
  });
});

it('an identity survives its text, and nothing else is taken for one', () => {
  expect(fromText(toText(own))).toEqual(own);
  for (const text of [
    null,
    '',
    'x',
    `${machine} 8`,
    `${machine} 8 9 10`,
    `${machine} -8 9`,
    `${machine.slice(1)} 8 9`,
  ])
    expect(fromText(text)).toBeNull();
});

(process.platform === 'linux' ? describe : describe.skip)('on Linux', () => {
  it('this process knows itself, and is alive', () => {
    const self = ownIdentity();
    expect(self).toMatchObject({ pid: process.pid });
    expect(self && hasEnded(self, self, observe(process.pid))).toBe(false);
    expect(self && toText(self).length).toBeLessThanOrEqual(80);
  });

  it('nothing is known of a process that may not be examined', () => {
    // Not readable as a process, and a signal to it is an error of another kind.
    expect(observe(2 ** 31)).toBeNull();
  });
});
