import { expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser, useBrowser } from '../support/shared/browser.js';

/** Swagger UI behaves differently under a local host name. The tests' browser finds this one here. */
const PUBLIC_NAME = 'docs.example.com';

describeInBrowser.each(databases)('Swagger UI on $name', (kind) => {
  const service = useService(kind);
  const chromium = useBrowser();

  it('takes a key and makes a call', async () => {
    const user = newUser();
    const name = 'Shown in the browser';
    await createWebhook(service, { user_id: user, name });
    const page = await (await chromium.newContext()).newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
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

    await page.locator('button.authorize').click();
    await page.locator('.auth-container input').fill(await service.keyFor(user, 'webhooks:read'));
    await page.locator('.auth-container ::-p-aria(Apply credentials)').click();
    await page.locator('.auth-container ::-p-aria(Close)').click();

    const operation = '[id$="listWebhooks"]';
    await page.locator(`${operation} .opblock-summary-control`).click();
    await page.locator(`${operation} ::-p-aria(Try it out)`).click();
    await page.locator(`${operation} ::-p-aria(Execute)`).click();
    const answer = await page.waitForSelector(`${operation} .live-responses-table .response`);
    const said = await (await answer?.getProperty('innerText'))?.jsonValue();
    expect(said).toMatch(/^200/);
    expect(said).toContain(name);
    expect(errors).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  it('runs only its own scripts', async () => {
    const page = await (await chromium.newContext()).newPage();
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) refused.push(message.text());
    });
    await page.goto(`${service.url}/docs`);
    // Added to the page itself, because code run through the debugger protocol bypasses the page's policy.
    await page.$eval('#swagger-ui', ({ ownerDocument }) => {
      const script = ownerDocument.createElement('script');
      script.textContent = 'document.title = "taken over"';
      ownerDocument.body.append(script);
    });
    await until(() => refused.length > 0);
    expect(refused[0]).toMatch(/script/);
    expect(await page.title()).toBe('Swagger UI');
  });
});
