import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

/** What Node is started with beside the program: as users start it. */
export const nodeFlags: string[] = scripts['start:prod']
  .split(' ')
  .filter((word: string) => word.startsWith('--'));
