import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { logMessages } from './log-messages.js';

const PAGE = join(import.meta.dirname, '../../docs/operations.md');

describe('the log messages that docs/operations.md explains', () => {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(/^## Log messages$/m);
  const [tables = ''] = section.split(/^## /m);
  /** Each by its beginning: a long message says by itself what to do. */
  const explained = [...tables.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(.+?)`/g)].map(([, text = '']) => text.replace(/…$/, '')),
  );
  const { found: messages, unknown } = logMessages();

  it('are all that there are', () => {
    expect(messages.length).toBeGreaterThan(50);
    expect(messages.filter((message) => !explained.some((text) => message.startsWith(text)))).toEqual([]);
  });

  it('are written where they are logged, but for errors as such and the failures of jobs', () => {
    expect(unknown).toEqual([
      'src/jobs/running-job.ts',
      'src/rest/problem.filter.ts',
      'src/store/mysql/server-check.ts',
    ]);
  });

  it('are logged', () => {
    expect(explained.filter((text) => !messages.some((message) => message.startsWith(text)))).toEqual([]);
  });
});
