import { expect, it } from '@jest/globals';
import { SQLITE } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeInBrowser, useBrowser } from '../support/shared/browser.js';
import { Screen } from './support/screen.js';

/** Swagger UI behaves differently under a local host name. The tests' browser finds this one here. */
const PUBLIC_NAME = 'docs.example.com';

describeInBrowser('Swagger UI', () => {
  const service = useService(SQLITE);
  const chromium = useBrowser();

  const open = async (origin: string) => {
    const screen = await Screen.in(await chromium.newContext(), origin);
    await screen.page.goto(`${origin}/docs`);
    return screen;
  };

  it('takes a key and makes a call', async () => {
    const user = newUser();
    const name = 'Shown in the browser';
    await createWebhook(service, { user_id: user, name });
    const { page, broken } = await open(service.url.replace('127.0.0.1', PUBLIC_NAME));
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
    expect(broken).toEqual([]);
  });

  it('runs only its own scripts', async () => {
    const { page, broken } = await open(service.url);
    // Added to the page itself, because code run through the debugger protocol bypasses the page's policy.
    await page.$eval('#swagger-ui', ({ ownerDocument }) => {
      const script = ownerDocument.createElement('script');
      script.textContent = 'document.title = "taken over"';
      ownerDocument.body.append(script);
    });
    await until(() => broken.length > 0);
    expect(broken[0]).toMatch(/script/);
    expect(await page.title()).toBe('Swagger UI');
  });
});
