import type { EntityManager } from 'typeorm';

const NO_TRANSACTION =
  "The manager is in no transaction, so nothing was stored: it is the data source's own, or its transaction has ended. Pass the " +
  'manager that dataSource.transaction(async (manager) => …) hands to its callback, or queryRunner.manager after ' +
  'startTransaction(), and await the call before the end; where there is no transaction, leave manager out.';

export const isInTransaction = ({ queryRunner }: EntityManager) => queryRunner?.isTransactionActive ?? false;

/** @throws Error with the way out if the manager is in no transaction. */
export function checkInTransaction(manager: EntityManager): void {
  if (!isInTransaction(manager)) throw new Error(NO_TRANSACTION);
}
