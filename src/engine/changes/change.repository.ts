import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import type { ChangeKind } from '../../store/tables/trigger/change.entity.js';

/** A change as it was noted. */
export interface Change {
  id: number;
  kind: ChangeKind;
  subjectId: string;
}

/** A span of ids, both ends included. */
export type IdSpan = readonly [from: number, to: number];

interface Row {
  id: number | string;
  kind: ChangeKind;
  subject_id: string;
}

const REMOVED_AT_ONCE = 2000;

const changeOf = (row: Row): Change => ({ id: Number(row.id), kind: row.kind, subjectId: row.subject_id });

/** Reads what was noted, and removes it. */
@Injectable()
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /** The highest id; 0 if nothing is noted. */
  async newest(): Promise<number> {
    const [row] = await this.database.query<{ id: number | string | null }[]>(
      'SELECT MAX(id) AS id FROM webhook_change',
    );
    return Number(row?.id ?? 0);
  }

  /** The oldest changes behind an id or within spans of ids before it, in the order of their ids. */
  async behind(id: number, spans: IdSpan[], limit: number): Promise<Change[]> {
    const within = spans.map(() => 'OR id BETWEEN ? AND ?').join(' ');
    const rows = await this.database.query<Row[]>(
      `SELECT id, kind, subject_id FROM webhook_change WHERE id > ? ${within} ORDER BY id LIMIT ${limit}`,
      [id, ...spans.flat()],
    );
    return rows.map(changeOf);
  }

  /** The oldest changes of a kind behind an id and up to another. */
  async between(kind: ChangeKind, behind: number, through: number, limit: number): Promise<Change[]> {
    const rows = await this.database.query<Row[]>(
      `SELECT id, kind, subject_id FROM webhook_change WHERE id > ? AND id <= ? AND kind = ? ORDER BY id LIMIT ${limit}`,
      [behind, through, kind],
    );
    return rows.map(changeOf);
  }

  /** Removes what stands up to an id, in short steps. */
  async remove(through: number): Promise<void> {
    const [row] = await this.database.query<{ id: number | string | null }[]>(
      'SELECT MIN(id) AS id FROM webhook_change',
    );
    const first = Number(row?.id ?? through + 1);
    for (let from = first; from <= through; from += REMOVED_AT_ONCE) {
      const span = [from, Math.min(through, from + REMOVED_AT_ONCE - 1)];
      // In a transaction, which locks no gaps: others write behind the last row.
      await this.database.transaction((manager) =>
        this.database.query('DELETE FROM webhook_change WHERE id >= ? AND id <= ?', span, manager),
      );
    }
  }
}
