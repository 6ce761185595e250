import { asNumber, COMMON_COLUMNS, type Columns } from '../columns.js';

export const sqliteColumns: Columns = {
  ...COMMON_COLUMNS,
  ascii: (length) => ({ type: 'varchar', length }),
  fixedAscii: (length) => ({ type: 'varchar', length }),
  unicode: (length) => ({ type: 'varchar', length }),
  exact: (length) => ({ type: 'varchar', length }),
  text: () => ({ type: 'text' }),
  longText: () => ({ type: 'text' }),
  bytes: () => ({ type: 'blob' }),
  // It counts up columns of this type alone.
  serial: () => ({ type: 'integer', transformer: asNumber }),
};
