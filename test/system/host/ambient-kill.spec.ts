import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';

const PROGRAM = join(import.meta.dirname, 'ambient-process.mjs');
/** After how many lines each process is killed; the last one is not. */
const KILLED_AFTER = [100, 230, 370];

describe.each(databases)('a host whose transactions follow the context, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  /** What the processes said of each notification, and whatever else they said. */
  const told = { accepted: [] as string[], committed: [] as string[], 'taken-back': [] as string[] };
  const rest: string[] = [];

  /** Starts a process. @returns once it has said so much, or that all has been delivered. */
  async function run(number: number, lines: number): Promise<ChildProcess> {
    const env = { DATABASE_URL: database.url, RECEIVER_URL: receiver.url, RUN: `${number}`, ROUNDS: '30' };
    const host = spawn(process.execPath, [PROGRAM], { env: { PATH: process.env.PATH, ...env } });
    database.defer(() => host.kill('SIGKILL'));
    createInterface(host.stderr).on('line', (line) => rest.push(line));
    const reached = Promise.withResolvers<void>();
    let said = 0;
    createInterface(host.stdout).on('line', (line) => {
      const [what = '', id = ''] = line.split(' ');
      if (what in told) told[what as keyof typeof told].push(id);
      else if (what !== 'delivered') rest.push(line);
      if (what === 'delivered' || ++said === lines) reached.resolve();
    });
    await Promise.race([reached.promise, once(host, 'exit')]);
    return host;
  }

  it('delivers exactly what was accepted outside of a transaction, or committed inside of one, also if it is killed', async () => {
    for (const [index, lines] of KILLED_AFTER.entries()) {
      const host = await run(index + 1, lines);
      host.kill('SIGKILL');
      await once(host, 'close');
    }
    const last = await run(KILLED_AFTER.length + 1, Number.POSITIVE_INFINITY);
    const delivered = new Set(receiver.requests.map(({ body }): string => JSON.parse(String(body)).data.id));
    const wanted = [...told.accepted, ...told.committed];
    expect(wanted.length + told['taken-back'].length).toBeGreaterThan(1000);
    expect(wanted.filter((id) => !delivered.has(id))).toEqual([]);
    last.kill('SIGTERM');
    await once(last, 'close');

    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    const invoices = (await dataSource.query<{ id: string }[]>('SELECT id FROM invoice')).map(({ id }) => id);
    await dataSource.destroy();
    const inside = [...delivered].filter((id) => id.endsWith(':inside'));
    // Also what was under way at a kill is there as a whole, or not at all.
    expect(inside.sort()).toEqual(invoices.sort());
    expect(inside.filter((id) => told['taken-back'].includes(id))).toEqual([]);
    expect(rest).toEqual([]);
  });
});
