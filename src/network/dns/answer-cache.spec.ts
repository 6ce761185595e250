import { beforeEach, describe, expect, it } from '@jest/globals';
import { AnswerCache } from './answer-cache.js';

describe('AnswerCache', () => {
  let now: number;
  let cache: AnswerCache;

  beforeEach(() => {
    now = 0;
    cache = new AnswerCache(() => now);
  });

  it.each([
    [0, 1],
    [1, 1],
    [60, 60],
    [300, 300],
    [86_400, 300],
  ])('keeps an answer with a TTL of %d s for %d s', (ttl, kept) => {
    cache.set('receiver.test', ['8.8.8.8'], ttl);
    now = kept * 1000 - 1;
    expect(cache.get('receiver.test')).toEqual(['8.8.8.8']);
    now++;
    expect(cache.get('receiver.test')).toBeUndefined();
  });

  it('does not extend the TTL when an answer is read', () => {
    cache.set('receiver.test', ['8.8.8.8'], 2);
    for (now = 0; now < 2000; now += 100) expect(cache.get('receiver.test')).toEqual(['8.8.8.8']);
    expect(cache.get('receiver.test')).toBeUndefined();
  });

  it('remembers that a name has no address', () => {
    cache.set('nobody.test', [], 1);
    expect(cache.get('nobody.test')).toEqual([]);
  });

  it('drops the least recently used name past 10,000', () => {
    for (let name = 0; name < 10_000; name++) cache.set(`${name}.test`, [], 60);
    cache.get('0.test');
    cache.set('new.test', [], 60);
    cache.set('new.test', ['8.8.8.8'], 60);
    expect(cache.get('0.test')).toEqual([]);
    expect(cache.get('1.test')).toBeUndefined();
    expect(cache.get('2.test')).toEqual([]);
    expect(cache.get('new.test')).toEqual(['8.8.8.8']);
  });
});
