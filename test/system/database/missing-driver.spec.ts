import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const SOURCE = join(import.meta.dirname, '../../../src/store/driver.ts');

describe('a database whose driver is not installed', () => {
  let folder: string;

  /** The file that loads drivers, in a folder from which Node finds no packages. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-driver-'));
    copyFileSync(SOURCE, join(folder, 'driver.mts'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const complaintAbout = (name: string) => {
    const program = `import('./driver.mts').then(({ loadDriver }) => loadDriver('${name}')).catch((e) => console.log(e.message))`;
    return execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8', env: {} });
  };

  it('is told for SQLite, with what to install', () => {
    expect(complaintAbout('sqlite-driver')).toMatch(
      /^The SQLite driver \(better-sqlite3\) is not installed\..*npm ci --include=optional --ignore-scripts/,
    );
  });

  it('is told for MySQL and MariaDB, with what to install', () => {
    expect(complaintAbout('mysql2')).toMatch(/^The package mysql2 is not installed.*npm install/);
  });
});
