import type { Dialect } from './columns.js';

/** SQL for the database's own clock in epoch milliseconds: independent of time zones, and good for any year. */
export const databaseTime = (dialect: Dialect): string =>
  dialect === 'sqlite'
    ? `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`;
