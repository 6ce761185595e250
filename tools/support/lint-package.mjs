// Checks a tarball as other applications would find it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
);
/**
 * Types must be found in every way that TypeScript has. The one rule left out says that `require` of an ES module fails; it
 * works on every Node that the package supports.
 */
const STRICTNESS = ['--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm'];

/** @returns true if publint and attw find nothing. */
export async function lintPackage(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  for (const message of messages) console.log(`publint: ${formatMessage(message, pkg)}`);
  // Without --pack, which would build the tarball again and then remove it.
  const { status, stdout, stderr } = spawnSync(process.execPath, [attw, tarball, ...STRICTNESS], {
    encoding: 'utf8',
  });
  if (status !== 0) console.log(`attw:\n${stdout}${stderr}`);
  const attwSays = status === 0 ? 'no problems' : 'problems';
  console.log(`${basename(tarball)}: publint: ${messages.length} problems; attw: ${attwSays}`);
  return messages.length === 0 && status === 0;
}
