import { isAdmin, whose } from '../data/who.js';
import type { Column } from '../parts/table/columns.js';

/** Whose each row is; false where all are one user's. */
export const userColumn = <T extends { user_id: string }>(): Column<T> | false =>
  isAdmin.value &&
  whose.value === null && {
    key: 'user',
    header: 'User',
    cell: ({ user_id }) => user_id,
    tight: true,
    from: 'wide',
  };
