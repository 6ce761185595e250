import { expect } from '@jest/globals';
import type { Answer } from './call.js';
import type { TestService } from './service.js';

/** Reads a list from page to page, by `Link: <…>; rel="next"`. @param between what happens after each. */
export async function linkedPages(
  service: Pick<TestService, 'call'>,
  path: string,
  key?: string,
  between?: () => Promise<unknown>,
): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next; ) {
    const page = await service.call('GET', next, undefined, key ? { key } : {});
    expect(page.status).toBe(200);
    pages.push(page);
    next = page.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1];
    expect(page.body.next_cursor).toBe(next ? new URL(next, 'http://x').searchParams.get('cursor') : null);
    await between?.();
  }
  return pages;
}
