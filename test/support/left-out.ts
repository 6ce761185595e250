import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Has the run say at its end, once, that something was left out, and for want of what. */
export function leaveOut(what: string): void {
  appendFileSync(join(tmpdir(), 'left-out'), `LEFT OUT: ${what}\n`);
}
