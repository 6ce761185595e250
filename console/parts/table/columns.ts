import type { ComponentChildren } from 'preact';

export interface Column<R> {
  /** Names it in the order of the rows; unique in its table. */
  key: string;
  header: string;
  cell: (row: R) => ComponentChildren;
  /** Makes the column one to sort by. What is null comes last. */
  sortBy?: (row: R) => string | number | null;
  /** Which order a first press gives. @default ascending */
  descendingFirst?: boolean;
  number?: boolean;
  /** As narrow as its content. */
  tight?: boolean;
  /** Left out where the table is narrower than that. */
  from?: 'middle' | 'wide';
}

export interface Order {
  key: string;
  descending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** @returns the rows in that order; those that are equal stay as they were. */
export function sorted<R>(
  rows: readonly R[],
  columns: readonly Column<R>[],
  order: Order | null,
): readonly R[] {
  const by = columns.find(({ key }) => key === order?.key)?.sortBy;
  if (!order || !by) return rows;
  const sign = order.descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : collator.compare(`${x}`, `${y}`));
  });
}

export const classOf = ({ number, tight, from }: Column<never>): string | undefined =>
  [number && 'number', tight && 'tight', from && `from-${from}`].filter(Boolean).join(' ') || undefined;
