import { expect, it } from '@jest/globals';
import { serialiseSqlite } from '../../../src/store/sqlite/sqlite-serial.js';
import { turn, useNotes } from '../../database/sqlite-notes.js';

const notes = useNotes('host');
const { names, write } = notes;

it("a host's transaction on SQLite lets what its callback does not await run after its end", async () => {
  serialiseSqlite(notes.dataSource);
  const after: Promise<unknown>[] = [];
  const later = Promise.withResolvers<unknown>();
  await notes.dataSource.transaction(async (manager) => {
    after.push(write('outside'));
    const begin = performance.now();
    // For longer than one that runs nothing would be left alone.
    for (let step = 0; performance.now() < begin + 600; step++) {
      await write(`inside ${step}`, manager);
      await turn();
    }
    setImmediate(() => write('later').then(later.resolve, later.reject));
  });
  await Promise.all([...after, later.promise]);
  expect(await names()).toEqual(expect.arrayContaining(['outside', 'later']));
});
