import { expect } from '@jest/globals';
import type { BrowserContext, ElementHandle, HTTPRequest, KeyInput, Page } from 'puppeteer-core';
import { PATIENCE_MS, until } from '../../../support/until.js';
import { accessibilityProblems } from './accessibility.js';

/** What a person sees, names and presses. Everything waits. */
export class Screen {
  /** What no page may do: throw, break its policy, call another host. */
  readonly broken: string[] = [];
  /** Calls without an answer, and answers that are problems: told when the page does not say what it should. */
  private readonly calls = new Map<HTTPRequest, string>();

  private constructor(
    readonly page: Page,
    /** Where the console is mounted. */
    readonly base: string,
  ) {}

  static async in(context: BrowserContext, base: string): Promise<Screen> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.setViewport({ width: 1280, height: 800 });
    // Others have their pages in the same browser.
    await page.emulateFocusedPage(true);
    const screen = new Screen(page, base);
    const { origin } = new URL(base);
    page.on('pageerror', (error) => screen.broken.push(String(error)));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) screen.broken.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) screen.broken.push(`calls ${url}`);
      screen.calls.set(request, `${request.method()} ${url}: no answer`);
    });
    page.on('requestfinished', (request) => {
      const status = request.response()?.status() ?? 0;
      if (status < 400) screen.calls.delete(request);
      else screen.calls.set(request, `${request.method()} ${request.url()}: ${status}`);
    });
    page.on('requestfailed', (request) => {
      screen.calls.set(request, `${request.method()} ${request.url()}: ${request.failure()?.errorText}`);
    });
    await page.evaluateOnNewDocument(() => {
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    return screen;
  }

  /** The path below the mount path, with its query. */
  get path(): string {
    return this.page.url().slice(this.base.length);
  }

  /** The element with this role and accessible name. */
  async find(role: string, name: string): Promise<ElementHandle<Element>> {
    const found = await this.page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`, {
      visible: true,
    });
    return found as ElementHandle<Element>;
  }

  /** Presses a button, link, tab or box. */
  async press(role: string, name: string): Promise<void> {
    await (await this.find(role, name)).click();
  }

  /** Replaces what is in the field with this label. */
  async type(label: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(`::-p-aria([name="${label}"])`, { visible: true });
    await field?.focus();
    await this.keys('Control+a', 'Backspace');
    await this.page.keyboard.sendCharacter(text);
  }

  /** Presses keys one after another, such as `j` or `Control+k`. */
  async keys(...keys: string[]): Promise<void> {
    for (const combination of keys) {
      const parts = combination.split('+') as KeyInput[];
      const last = parts.pop() as KeyInput;
      for (const held of parts) await this.page.keyboard.down(held);
      await this.page.keyboard.press(last);
      for (const held of parts) await this.page.keyboard.up(held);
    }
  }

  /** Waits until the page says `text`, in whatever letters. */
  async says(text: string, within = 'body'): Promise<void> {
    await this.waitFor(text, within, true);
  }

  /** Waits until the page says `text`, so that everybody can take it in. */
  async saysToAll(text: string, within = 'body'): Promise<void> {
    await this.says(text, within);
    await this.isForAll();
  }

  /** Waits until the page no longer says `text`. */
  async saysNoMore(text: string, within = 'body'): Promise<void> {
    await this.waitFor(text, within, false);
  }

  private async waitFor(text: string, within: string, isThere: boolean): Promise<void> {
    try {
      await this.page.waitForFunction(
        (wanted: string, selector: string, there: boolean) => {
          const elements = [...document.querySelectorAll<HTMLElement>(selector)].filter(
            (element) => element.getClientRects().length > 0,
          );
          const said = elements.map(({ innerText }) => innerText.replaceAll(/\s+/g, ' ').toLowerCase());
          return said.some((one) => one.includes(wanted.toLowerCase())) === there;
        },
        {},
        text,
        within,
        isThere,
      );
      // What was shown just now listens, and has the focus, from the next frame on.
      await this.page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
      );
    } catch {
      const said = await this.page.$eval('body', ({ innerText }) => innerText);
      throw new Error(
        `The page ${isThere ? 'does not say' : 'still says'} “${text}”. ${[...this.calls.values()].join('\n')}\nIt says:\n${said}`,
      );
    }
  }

  /** What the page copies, from now on. */
  async copies(): Promise<() => Promise<string>> {
    await this.page.evaluate(() => {
      const area = window as unknown as { copied?: string };
      const writeText = async (text: string) => {
        area.copied = text;
      };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    });
    return () => this.page.evaluate(() => (window as unknown as { copied: string }).copied);
  }

  /** Ends the session without the page's knowledge. */
  async loseCookies(): Promise<void> {
    const context = this.page.browserContext();
    await context.deleteCookie(...(await context.cookies()));
  }

  /** Waits until what has the focus says `text`, or is labelled so. */
  async focusIsOn(text: string): Promise<void> {
    const focused = () => {
      const element = document.activeElement as HTMLElement | null;
      return element?.getAttribute('aria-label') ?? element?.innerText ?? '';
    };
    const look = async () => (await this.page.evaluate(focused)).includes(text);
    await until(look, { what: `the focus on “${text}”` });
  }

  /** The name of the field that has the focus. */
  focusedField(): Promise<string | null | undefined> {
    return this.page.evaluate(() => document.activeElement?.getAttribute('name'));
  }

  /** What is in each of these fields. */
  values(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (all) => all.map((one) => (one as HTMLInputElement).value));
  }

  /** The text of each of these elements. */
  texts(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (all) => all.map((one) => (one as HTMLElement).innerText));
  }

  /** The texts of the parts of each of these elements. */
  parts(selector: string): Promise<string[][]> {
    return this.page.$$eval(selector, (all) =>
      all.map(({ children }) => [...children].map((part) => (part as HTMLElement).innerText)),
    );
  }

  /** The texts of the cells of each row, the lines of a cell apart. */
  async rows(): Promise<string[][]> {
    // Until it is known who is looking, a table may load once more.
    await this.page.waitForFunction(() => !document.querySelector('table[aria-busy=true]'));
    return this.parts('tbody tr');
  }

  /** Expects that axe-core finds nothing in both schemes, at 320 and 1280 px, and that nothing sticks out. */
  async isForAll(): Promise<void> {
    expect(await accessibilityProblems(this.page)).toEqual([]);
  }
}
