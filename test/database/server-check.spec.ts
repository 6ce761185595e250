import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/store/database.js';
import { skipsLocked } from '../../src/store/mysql/skip-locked.js';
import { databases, describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { proxied } from '../support/proxy.js';
import { opened, warningsOf } from './server.js';

describe.each(databases)('the look at a server of $name', (kind) => {
  const database = useDatabase(kind, 'block', 'migrated');

  it('says nothing of a sound one', async () => {
    const dataSource = await opened(database.url);
    expect(await warningsOf(dataSource)).toEqual([]);
    await dataSource.destroy();
  });
});

describeOnMariadb('the look at a server of $name', (kind) => {
  const database = useDatabase(kind, 'block', 'migrated');

  it('may be made by many processes at once, and is not waited for by a pool with a single connection', async () => {
    const dataSource = await opened(database.url);
    const looks = Array.from({ length: 5 }, () => skipsLocked(new Database(dataSource)));
    expect(await Promise.all(looks)).toEqual(Array(5).fill(true));
    await dataSource.destroy();
    const one = await opened(database.url, { connectionLimit: 1 });
    expect(await skipsLocked(new Database(one))).toBeNull();
    expect(await warningsOf(one)).toEqual([]);
    await one.destroy();
  });

  it('does not stop a start where it is answered by nothing but errors', async () => {
    const { proxy, url } = await proxied(database);
    const dataSource = await opened(url);
    for (const [statement, errno] of [
      ['S', 1045],
      ['S', 1047],
      ['U', 1142],
    ] as const) {
      proxy.answerWith(statement, errno);
      expect((await warningsOf(dataSource)).filter((text) => !text.includes('takes no writes'))).toEqual([]);
      proxy.heal();
    }
    await dataSource.destroy();
  });
});
