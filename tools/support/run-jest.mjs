import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './commands.mjs';
import './ending.mjs';

export const JEST = join(root, 'node_modules/jest/bin/jest.js');

/** The configuration of the kind of test that stands at these paths. */
export const configOf = (paths) =>
  paths.some((path) => path.includes('test/system')) ? 'jest.system.config.mjs' : 'jest.config.mjs';

/**
 * Runs Jest in a folder, with these words of its command line, and without a word on the terminal. It ends with this process.
 *
 * @returns its exit code, and the end of what it said.
 */
export async function runJest(cwd, words, env = process.env) {
  const child = spawn(process.execPath, [JEST, '--ci', ...words], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = () => child.kill();
  process.on('exit', end);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  process.off('exit', end);
  return { code, said };
}
