import type { DataSource } from 'typeorm';
import { die, type Failpoint, isArmed } from '../../platform/failpoint.js';
import { ownTransaction } from '../own-manager.js';
import { sqliteAlone, sqliteEach } from './sqlite-serial.js';
import type { ScriptAnswer, ScriptStep } from './sqlite-session.js';

/** The steps of a transaction, with failpoints between them; an answer counts the steps alone. */
export type Script = (ScriptStep | Failpoint)[];

/** Runs a script as one transaction, in one message to the database's thread unless a test has armed a failpoint in it. */
export async function runScript(dataSource: DataSource, script: Script): Promise<ScriptAnswer> {
  const armedAt = script.findIndex((step) => typeof step === 'string' && isArmed(step));
  return armedAt < 0
    ? sqliteAlone(dataSource, async (session) => session.script(stepsOf(script)))
    : dieAfter(dataSource, stepsOf(script.slice(0, armedAt)));
}

const stepsOf = (script: Script) => script.filter((step) => typeof step !== 'string');

/** Kills the process while the transaction is open, so none of it counts: not even the rows that `changedBy` leaves out. */
function dieAfter(dataSource: DataSource, steps: ScriptStep[]): Promise<never> {
  return ownTransaction(dataSource, async (manager) => {
    for (const step of steps) {
      if ('rows' in step) await sqliteEach(dataSource, step.sql, step.rows);
      else await manager.query(step.sql, step.parameters);
    }
    return die();
  });
}
