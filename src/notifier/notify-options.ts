import type { EntityManager } from 'typeorm';
import { isOptions, kindOf } from '../platform/config/given-options.js';
import { nearest } from '../platform/config/nearest.js';
import { isEntityManager } from '../store/given-manager.js';

/** How a notification is stored. */
export interface NotifyOptions {
  /** The caller's transaction. The notification commits with it and is then sent at once, or is rolled back with it. */
  manager?: EntityManager;
  /**
   * 1 to 255 printable ASCII characters. Within 24 hours a call for the same user with the same key and the same event stores
   * nothing more, and is answered what the first call was, with `replayed`. It cannot be used together with a manager: with
   * that, what was stored is known to whoever commits.
   */
  idempotencyKey?: string;
}

const NAMES = ['manager', 'idempotencyKey'];

/**
 * Checks the options' names: with a misspelt manager the notification would not be part of the caller's transaction.
 *
 * @throws Error with what to write instead
 */
export function checkNotifyOptions(given: unknown): asserts given is NotifyOptions {
  if (!isOptions(given) || isEntityManager(given)) {
    const kind = isEntityManager(given) ? 'an EntityManager' : kindOf(given);
    throw mistake(`the third argument must be an object of options, such as { manager }, and not ${kind}.`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!NAMES.includes(name)) throw mistake(`${name}: is not an option; ${instead(name, value)}`);
    if (name !== 'manager' || value === undefined || isEntityManager(value)) continue;
    throw mistake('manager: must be an EntityManager, such as queryRunner.manager, or left out.');
  }
}

/**
 * Checks that no manager stands where none is taken: what is stored would not be part of its transaction.
 *
 * @throws Error with what to write instead
 */
export function refuseManager(given: readonly unknown[]): void {
  if (!given.some((value) => isEntityManager(value) || holdsManager(value))) return;
  throw new Error(
    'An event has no manager, and emit, emitAsync and publish take no manager, so nothing was stored. For your transaction, ' +
      'inject NotifierService and call notify(name, event, { manager }).',
  );
}

const holdsManager = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).some(isEntityManager);

function instead(name: string, value: unknown): string {
  const near = isEntityManager(value) ? 'manager' : nearest(name, NAMES);
  return near ? `did you mean ${near}?` : `there are ${NAMES.join(', ')}.`;
}

const mistake = (what: string) => new Error(`notify: ${what} Nothing was stored.`);
