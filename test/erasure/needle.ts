import { existsSync, readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { tablesOf } from '../support/databases.js';
import type { TestService } from '../support/service.js';

/** The columns of all tables in which a text is stored. */
export async function columnsWith(service: Pick<TestService, 'get'>, needle: string): Promise<string[]> {
  const dataSource = service.get(DataSource);
  const found = new Set<string>();
  for (const name of await tablesOf(dataSource)) {
    for (const row of await dataSource.query<Record<string, unknown>[]>(`SELECT * FROM ${name}`)) {
      for (const [column, value] of Object.entries(row))
        if (textOf(value).includes(needle)) found.add(`${name}.${column}`);
    }
  }
  return [...found].sort();
}

/** How often a text occurs in each file of a SQLite database; files without it are left out. */
export function filesWith(databaseUrl: string, needle: string): Record<string, number> {
  const path = databaseUrl.slice('sqlite:'.length);
  const counts = ['', '-wal', '-shm', '-journal'].map((suffix): [string, number] => {
    const file = path + suffix;
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    return [suffix || 'database', bytes.toString('latin1').split(needle).length - 1];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const textOf = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
