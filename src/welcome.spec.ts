import { describe, expect, it } from '@jest/globals';
import { welcome } from './welcome.js';

const shown = (databaseUrl: string) => welcome('http://127.0.0.1:3000', { databaseUrl, docs: true });

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
});
