// What a tool leaves when it ends, also by Ctrl-C: nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that goes when this process ends. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// So that 'exit' comes, by which everything is ended and taken away.
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
