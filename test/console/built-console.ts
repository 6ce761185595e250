import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { ConsoleFiles } from '../../src/module/console/console-files.js';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Webhooks</title>
    <link rel="icon" href="/__console__/icon.svg" />
    <script type="application/json" id="place">__PLACE__</script>
    <script type="module" crossorigin src="/__console__/assets/index-D4f1x9aB.js"></script>
    <link rel="stylesheet" crossorigin href="/__console__/assets/index-B7sQ.css" />
  </head>
  <body></body>
</html>
`;

export const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))});\n`;

const FILES: Record<string, string> = {
  'index.html': PAGE,
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-D4f1x9aB.js': SCRIPT,
  'assets/index-B7sQ.css': 'body{margin:0}',
  'assets/deep/map-1.json': '{}',
};

/** A folder with files as the build of the console leaves them. */
export function buildConsole(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-console-'));
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Makes an application serve the console of a folder. */
export function serveConsole(app: INestApplicationContext, folder: string): void {
  app.get(ConsoleFiles, { strict: false }).folder = folder;
}

/** What the page is told of its place. */
export function placeIn(page: string): unknown {
  const [, text = ''] = /<script type="application\/json" id="place">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(text);
}
