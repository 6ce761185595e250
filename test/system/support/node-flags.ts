import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));

/** The Node flags that users start the service with, from the script `start:prod`. */
export const nodeFlags: string[] = scripts['start:prod']
  .split(' ')
  .filter((word: string) => word.startsWith('--'));
