import axe from 'axe-core';
import type { Page } from 'puppeteer-core';

const WIDTHS = [320, 1280];
/** The dark scheme changes colours, and nothing else. */
const SCHEMES = { light: null, dark: ['color-contrast', 'link-in-text-block'] };
const HEIGHT = 800;

/** One line for each rule that an element breaks: scheme, width, rule, element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  const before = page.viewport();
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: HEIGHT });
    for (const [scheme, rules] of Object.entries(SCHEMES)) {
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: scheme },
        // A colour that is on its way is none to judge.
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      const problems = await problemsNow(page, rules);
      found.push(...problems.map((problem) => `${scheme}, ${width} px: ${problem}`));
    }
  }
  await page.setViewport(before);
  return found;
}

/** @param rules null for all. */
async function problemsNow(page: Page, rules: string[] | null): Promise<string[]> {
  // The policy of the page does not hold for what comes through the debugger.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const loaded = window as unknown as { axe: typeof axe };
    const { violations } = await loaded.axe.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
    });
    const problems = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id} (${help}): ${html}`),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth)
      problems.push(`the page is ${scrollWidth - clientWidth} px wider than the window`);
    return problems;
  }, rules);
}
