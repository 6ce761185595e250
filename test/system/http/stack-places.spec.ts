import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startProcess } from '../support/process.js';

const ROOT = join(import.meta.dirname, '../../..');
const PRINT_STACKS = join(ROOT, 'test/system/support/print-stacks.cjs');

describe('a stack of the built service', () => {
  it('names the files and lines of the sources', async () => {
    const service = await startProcess({
      DATABASE_URL: 'sqlite::memory:',
      NODE_OPTIONS: `--require=${PRINT_STACKS}`,
    });
    await service.end('SIGTERM');
    const [, file = '', line] = /Error: printed\n.*print-stacks.*\n +at \w+ \((src\/[\w/.-]+):(\d+)\)/.exec(
      service.output,
    ) ?? [service.output];
    expect(file).toBe('src/service/serve.ts');
    expect(readFileSync(join(ROOT, file), 'utf8').split('\n')[Number(line) - 1]).toContain('console.log(');
    expect(service.output).not.toContain('dist/service/bundle/serve.cjs');
  });
});
