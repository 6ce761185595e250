import { asNumber, COMMON_COLUMNS, type Columns } from '../columns.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' };
// Binary collation: a user "Acme" is not the user "acme".
const UNICODE = { charset: 'utf8mb4', collation: 'utf8mb4_bin' };

const toText = (value: unknown) => (Buffer.isBuffer(value) ? value.toString() : value);

export const mysqlColumns: Columns = {
  ...COMMON_COLUMNS,
  ascii: (length) => ({ type: 'varchar', length, ...ASCII }),
  fixedAscii: (length) => ({ type: 'char', length, ...ASCII }),
  unicode: (length) => ({ type: 'varchar', length, ...UNICODE }),
  exact: (length) => ({
    type: 'varbinary',
    length: 3 * length,
    transformer: { to: (value: unknown) => value, from: toText },
  }),
  text: () => ({ type: 'text', ...UNICODE }),
  longText: () => ({ type: 'mediumtext', ...UNICODE }),
  bytes: () => ({ type: 'mediumblob' }),
  serial: () => ({ type: 'bigint', transformer: asNumber }),
};
