/** The user whose objects a query may see; null for everybody's. */
export type Owner = string | null;

/**
 * Checks an owner before a query compares it: in MariaDB the number 0 equals every user id that begins with no digit, and
 * an array would match several users.
 *
 * @throws TypeError if it is neither a string nor null
 */
export function checkedOwner<T extends Owner>(owner: T): T {
  if (owner === null || typeof owner === 'string') return owner;
  throw new TypeError('An owner is the id of a user, or null for everybody.');
}
