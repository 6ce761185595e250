import { describe, expect, it } from '@jest/globals';
import { pageAt } from './console-page.js';

const template = '<a href="/__console__/x"><script id="place">__PLACE__</script><i src="/__console__/">';

describe('the page of the console', () => {
  it('is told its place, and finds its files there', () => {
    const page = pageAt(template, { base: '/api/console', api: '/api/v1', session: false });
    expect(page).toBe(
      '<a href="/api/console/x"><script id="place">{"base":"/api/console","api":"/api/v1","session":false}</script><i src="/api/console/">',
    );
  });

  it('has no element that a path brought with it', () => {
    const base = `/"><script>alert('1')</script>$&$'&amp;\u2028`;
    const page = pageAt(template, { base, api: `${base}/v1`, session: true });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/<\/script>/g)).toHaveLength(1);
    const [, json = ''] = /<script id="place">(.*?)<\/script>/s.exec(page) ?? [];
    expect(JSON.parse(json)).toEqual({ base, api: `${base}/v1`, session: true });
    expect(page.replace(json, '').match(/"/g)).toHaveLength(template.match(/"/g)?.length ?? 0);
    expect(json).not.toContain('\u2028');
  });
});
