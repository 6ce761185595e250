import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EventKinds } from '../../event/event-kinds.js';
import type { ServiceConfig } from '../../platform/config/service-config.js';
import { settings } from '../../platform/config/settings.js';
import { readTransferKey } from '../../platform/config/transfer-key.js';
import { Arrival } from './user/arrival.repository.js';
import { checkedVault, encryptionKeysOf, onDatabase } from './user/cell.js';
import { runCommand } from './user/command.js';
import { counted, type MovedUser } from './user/moved-user.js';
import { EXIT, Refusal } from './user/refusal.js';
import { shellWord } from './user/shell-word.js';
import { userOf } from './user/user-file.js';

const USAGE = `npm run user:import -- FILE

Imports what user:export has written in another cell: all of it, or nothing. Needs the TRANSFER_KEY that it was exported with.
Ends with 0 (done, also if it was imported before), 1 (refused, nothing changed) or 2 (wrong use).`;

async function main(config: ServiceConfig): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Refusal('Give the one file to import.', EXIT.usage);
  const keys = encryptionKeysOf(config);
  const user = userOf(contentsOf(path), readTransferKey(process.env, keys));
  await onDatabase(config, 'write', async (database) => {
    const vault = await checkedVault(database, keys);
    const isNew = await new Arrival(database, vault, settings.parse(config)).import(user);
    const what = `${counted(user)} of ${user.userId}`;
    console.log(isNew ? `${what} imported.` : `${what} were imported before; nothing was changed.`);
    for (const note of unknownKinds(user)) console.log(note);
    console.log(
      `Receipt: ${user.receipt}\n` +
        `Next, send the calls of ${user.userId} to this cell, and remove the user in the old one, once nothing is left there: ` +
        `npm run user:export -- --user ${shellWord(user.userId)} --finish --receipt ${user.receipt}`,
    );
  });
}

function contentsOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(`The file cannot be read: ${(error as Error).message}`);
  }
}

/** A line for each kind that cannot be reported here. Its events are imported all the same, and wait for it. */
function unknownKinds({ webhooks }: MovedUser): string[] {
  const known = new Set(new EventKinds().list().map(({ kind }) => kind));
  const kinds = new Set(webhooks.flatMap(({ events }) => events.map(({ kind }) => kind)));
  return [...kinds]
    .filter((kind) => !known.has(kind))
    .map((kind) => `Note: events of the kind ${kind} were imported, and this cell does not know that kind.`);
}

void runCommand(USAGE, process.env, main);
