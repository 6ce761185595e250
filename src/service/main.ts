import { existsSync } from 'node:fs';
import process from 'node:process';

const OLDEST_NODE = [22, 19] as const;

// Checked before native code is loaded: better-sqlite3 crashes on older Node versions without an error message.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.\n` +
      'Start with "npm start": "npm ci" installs a Node of its own (unless run with --omit=optional, or on a platform without one).',
  );
  process.exit(1);
}
if (existsSync('.env')) process.loadEnvFile('.env');

// Not awaited at the top, which only a module of ECMAScript could.
import('./serve.js').then(({ serve }) => serve(process.env));
