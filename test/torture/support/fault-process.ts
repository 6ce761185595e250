import type { FaultName } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';

// Answers each request with the fault named by its path. Runs in its own process, because floods would block the test's
// event loop, and the test could not tell the service's slowness from its own.

const receiver = await startReceiver();
receiver.respondWith(({ path }) => path.slice(1) as FaultName);
process.stdout.write(`${receiver.url}\n`);
process.stdin.resume().once('end', () => process.exit());
