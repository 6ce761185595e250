import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
/** Swagger UI behaves differently under a local host name. */
const PUBLIC_NAME = 'docs.example.com';
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-sync',
  `--host-resolver-rules=MAP ${PUBLIC_NAME} 127.0.0.1`,
];
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) {
  process.stderr.write(`There is no Chromium at ${CHROMIUM}: the test of Swagger UI is LEFT OUT.\n`);
}
const describeInChromium = hasChromium ? describe : describe.skip;

describeInChromium.each(databases)('Swagger UI on $name', (kind) => {
  const service = useService(kind);
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('takes a key and makes a call', async () => {
    const user = newUser();
    const name = 'Shown in the browser';
    await createWebhook(service, { user_id: user, name });
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) errors.push(message.text());
    });
    const origin = service.url.replace('127.0.0.1', PUBLIC_NAME);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) elsewhere.push(url);
    });
    await page.goto(`${origin}/docs`);

    await page.locator('button.authorize').first().click();
    const dialog = page.locator('.auth-container');
    await dialog.locator('input').fill(await service.keyFor(user, 'webhooks:read'));
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();

    const operation = page.locator('[id$="listWebhooks"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
    expect(await answer.innerText()).toContain(name);
    expect(errors).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  it('runs only its own scripts', async () => {
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) refused.push(message.text());
    });
    await page.goto(`${service.url}/docs`);
    // Added to the page itself, because code run through the debugger protocol bypasses the page's policy.
    await page.locator('#swagger-ui').evaluate((element) => {
      const { ownerDocument } = element;
      const script = ownerDocument.createElement('script');
      script.textContent = 'document.title = "taken over"';
      ownerDocument.body.append(script);
    });
    await until(() => refused.length > 0);
    expect(refused[0]).toMatch(/script/);
    expect(await page.title()).toBe('Swagger UI');
  });
});
