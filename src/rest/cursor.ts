import { invalid } from '../platform/problem.js';
import type { Vault } from '../platform/secret/vault.js';

/** One page of a list, newest first. */
export interface Page<T> {
  /** May be fewer than asked for, even none, although more follow. */
  data: T[];
  /** The `cursor` of the next page. Opaque; null on the last page. */
  nextCursor: string | null;
}

/** `limit` 1..100; `after` is the id of the last row of the page before. */
export interface PageRequest {
  limit: number;
  after: string | null;
}

const ID_BYTES = 16;

/** Cursors of one list: the id of the last row shown, and a tag that proves this list issued it. */
export class Cursors {
  constructor(
    private readonly vault: Vault,
    private readonly list: string,
  ) {}

  /** @throws Problem 400 `invalid_cursor` */
  read(cursor: string | undefined): string | null {
    if (cursor === undefined) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    const hex = bytes.subarray(0, ID_BYTES).toString('hex');
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    if (
      bytes.toString('base64url') !== cursor ||
      !this.vault.isMac(bytes.subarray(ID_BYTES), this.list + id)
    ) {
      throw invalid(
        [{ pointer: '?cursor', message: 'was not issued by this list; start without a cursor' }],
        'invalid_cursor',
      );
    }
    return id;
  }

  /**
   * Makes a page of up to `limit` rows, each as `shown` makes it.
   *
   * @param rows up to `limit + 1` rows: the extra one shows that there is a next page.
   */
  page<Row extends { id: string }, T>(rows: Row[], limit: number, shown: (row: Row) => T): Page<T> {
    const data = rows.slice(0, limit);
    const last = data.at(-1);
    return { data: data.map(shown), nextCursor: rows.length > limit && last ? this.write(last.id) : null };
  }

  /** The cursor that continues after an id. */
  write(id: string): string {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    return Buffer.concat([bytes, this.vault.mac(this.list + id)]).toString('base64url');
  }
}
