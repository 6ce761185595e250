import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { outsideOfContexts } from './contexts.js';

describe('what runs outside of contexts', () => {
  const trace = new AsyncLocalStorage<string>();

  it('sees none of them, also later', async () => {
    const later = trace.run('ada', () =>
      outsideOfContexts(async () => {
        expect(trace.getStore()).toBeUndefined();
        await new Promise(setImmediate);
        return trace.getStore();
      }),
    );
    expect(await later).toBeUndefined();
  });

  it('leaves the one of the caller as it is, and enters none for those that come after it', () => {
    trace.run('ada', () => {
      outsideOfContexts(() => trace.enterWith('bob'));
      expect(trace.getStore()).toBe('ada');
    });
    expect(outsideOfContexts(() => trace.getStore())).toBeUndefined();
  });
});
