import { describe, expect, it } from '@jest/globals';
import { keyBox, welcome } from './welcome.js';

const shown = (databaseUrl: string) =>
  welcome('http://127.0.0.1:3000', { databaseUrl, docs: true, console: true });

describe('the welcome', () => {
  it.each([
    'mysql://user:hunter2@db:3306/webhooks',
    'mysql://user:hun@ter2@db:3306/webhooks',
    'mysql://user:@hunter2@@db:3306/webhooks',
    'mysql://us@er:hun%2Fter2@db:3306/webhooks',
    'mariadb://hunter2@db:3306/webhooks',
    'mysql://user:hun/ter2@db:3306/webhooks',
    'mysql://user:hun#ter2?@db:3306/webhooks',
  ])('hides the user and password of %s', (url) => {
    const text = shown(url);
    expect(text).toContain('://…@db:3306/webhooks');
    expect(text).not.toMatch(/hun|ter2|user|us@er/);
  });

  it('shows the whole path of a SQLite file, even with @ and // in it', () => {
    expect(shown('sqlite:/data//a@b/webhook.sqlite')).toContain('sqlite:/data//a@b/webhook.sqlite');
  });

  it('names only what is served', () => {
    const url = 'http://127.0.0.1:3000';
    const less = welcome(url, { databaseUrl: 'sqlite:x', docs: false, console: false });
    expect(less).not.toMatch(/Console|Swagger/);
    expect(shown('sqlite:x')).toContain(`  Console    ${url}/console/\n  API        ${url}/v1\n`);
  });
});

describe('the box of the first key', () => {
  const key = `whk_${'x'.repeat(43)}`;

  it('has the key once, beside the link that logs in where there is a console', () => {
    const link = keyBox(key, 'http://127.0.0.1:3000/console/#code=abc');
    expect(link).toContain('│ http://127.0.0.1:3000/console/#code=abc ');
    for (const text of [link, keyBox(key, null)]) {
      expect(text.split(key)).toHaveLength(2);
      expect(new Set(text.split('\n').map((line) => line.length)).size).toBe(1);
    }
    expect(keyBox(key, null)).toContain(`│ ${key} │`);
  });
});
