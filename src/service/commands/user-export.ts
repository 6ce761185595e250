import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ServiceConfig } from '../../platform/config/service-config.js';
import { readTransferKey } from '../../platform/config/transfer-key.js';
import { failpoint } from '../../platform/failpoint.js';
import { userId } from '../../rest/fields.js';
import type { Database } from '../../store/database.js';
import { checkedVault, encryptionKeysOf, onDatabase } from './user/cell.js';
import { runCommand } from './user/command.js';
import { Departure, type Left } from './user/departure.repository.js';
import { counted, openedUser } from './user/moved-user.js';
import { OutputFile } from './user/output-file.js';
import { EXIT, Refusal } from './user/refusal.js';
import { shellWord } from './user/shell-word.js';
import { fileOf } from './user/user-file.js';

const USAGE = `npm run user:export -- --user ID STEP, where STEP is one of

  --out FILE                   freezes the user's webhooks and API keys here, and writes them to FILE; needs TRANSFER_KEY
  --status                     shows what is left to deliver here
  --finish --receipt RECEIPT   removes them here, once nothing is left; user:import prints the receipt
  --cancel                     undoes the export

Ends with 0 (done), 1 (refused, nothing changed), 2 (wrong use) or 3 (not yet: run it again later).`;

/**
 * From the moment that reports are refused: processes learn of it within a second, and nothing that one has begun by then
 * commits later than this.
 */
const CLOSING_MS = 15_000;

async function main(config: ServiceConfig): Promise<void> {
  const { values } = parseArgs({
    options: {
      user: { type: 'string' },
      out: { type: 'string' },
      status: { type: 'boolean' },
      finish: { type: 'boolean' },
      receipt: { type: 'string' },
      cancel: { type: 'boolean' },
    },
  });
  const { user, out, status, finish, receipt, cancel } = values;
  if (!user) throw new Refusal('--user is missing.', EXIT.usage);
  const wrong = userId.safeParse(user).error?.issues[0];
  if (wrong) throw new Refusal(`--user ${wrong.message}.`, EXIT.usage);
  if (out === '') throw new Refusal('--out needs the name of a file.', EXIT.usage);
  if ([out !== undefined, status, finish, cancel].filter(Boolean).length !== 1)
    throw new Refusal('Give one of --out, --status, --finish and --cancel.', EXIT.usage);
  if ((finish === true) !== (receipt !== undefined))
    throw new Refusal('--finish and --receipt belong together.', EXIT.usage);
  if (out !== undefined) await exportTo(out, user, config);
  else if (status)
    await onDatabase(config, 'read', (database) => showStatus(new Departure(database, user), user));
  else if (cancel) await onDatabase(config, 'write', (database) => undo(new Departure(database, user), user));
  else await onDatabase(config, 'write', (database) => end(database, user, receipt ?? ''));
}

async function exportTo(path: string, userId: string, config: ServiceConfig): Promise<void> {
  const keys = encryptionKeysOf(config);
  const transferKey = readTransferKey(process.env, keys);
  await onDatabase(config, 'write', async (database) => {
    const vault = await checkedVault(database, keys);
    const file = new OutputFile(path);
    try {
      const user = await new Departure(database, userId).freeze((rows) => openedUser(userId, rows, vault));
      try {
        file.write(fileOf(user, transferKey, Date.now()));
      } catch (error) {
        throw new Refusal(
          `The user is frozen, but ${path} could not be written: ${(error as Error).message}\n` +
            'Run the same again, or give it up with --cancel.',
        );
      }
      failpoint('move-exported');
      console.log(
        `${counted(user)} written to ${path}. They cannot be changed here any more, and go on delivering.\n` +
          `Next, in the other cell and with the same TRANSFER_KEY: npm run user:import -- ${shellWord(path)}`,
      );
    } finally {
      file.close();
    }
  });
}

async function showStatus(departure: Departure, userId: string): Promise<void> {
  const move = await departure.move();
  const last = await departure.lastReport();
  const probed = await departure.probed();
  console.log(
    [
      `${userId}: ${move ? `${move.state} since ${new Date(move.changedAt).toISOString()}` : 'here'}`,
      `to deliver: ${leftText(await departure.left())}`,
      `last notification accepted: ${last === null ? 'none is kept' : new Date(last).toISOString()}`,
      ...(probed === 0
        ? []
        : [`webhooks probed until they answer: ${probed}. What they missed here is lost with --finish`]),
    ].join('\n'),
  );
}

async function end(database: Database, userId: string, receipt: string): Promise<void> {
  const departure = new Departure(database, userId);
  const left = await departure.close(receipt);
  const gone = `${userId} is gone from this cell. What was delivered can be looked up here until its retention ends.`;
  if (left === 'gone') return console.log(gone);
  if (left) throw new Refusal(`Not yet: ${leftText(left)} to deliver here. Run it again later.`, EXIT.later);
  // Where there is one process, no service runs beside this command.
  if (!database.hasOneProcess) {
    console.log(
      `Reports for ${userId} are refused here from now on. Waiting ${CLOSING_MS / 1000} s for those under way.`,
    );
    await pause(CLOSING_MS);
  }
  const late = await departure.remove(receipt);
  if (late)
    throw new Refusal(
      `Not yet: ${leftText(late)} came in at last. Run it again once they are delivered.`,
      EXIT.later,
    );
  console.log(gone);
}

async function undo(departure: Departure, userId: string): Promise<void> {
  await departure.cancel();
  console.log(
    `${userId} stays here, and can be changed again. If the file was imported, delete the user's webhooks and API keys in ` +
      'the other cell: the file is of no use any more.',
  );
}

const leftText = ({ triggers, recoveries, notices }: Left) =>
  `${triggers} triggers, ${recoveries} recoveries, ${notices} notices of failures`;

void runCommand(USAGE, process.env, main);
