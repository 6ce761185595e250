import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Problem } from '../../data/problem.js';
import { Button } from '../button.js';
import { ProblemBox } from '../text/boxes.js';
import { Bone } from '../text/empty.js';
import { counted } from '../text/format.js';
import { type Column, classOf, type Order, sorted } from './columns.js';
import { TableHead } from './head.js';
import { Row } from './row.js';
import { type RowKey, useRowKeys } from './row-keys.js';

/** What {@link useList} answers, or rows that are there already. */
export interface TableRows<R> {
  readonly rows: readonly R[] | undefined;
  readonly problem?: Problem | undefined;
  readonly busy?: boolean;
  readonly hasMore?: boolean;
  more?(): void;
  refresh?(): void;
}

interface TableProps<R> {
  /** What it lists; unique on its screen. */
  label: string;
  list: TableRows<R>;
  /** The rows to show of it, where they are filtered here. */
  rows?: readonly R[] | undefined;
  columns: readonly Column<R>[];
  rowKey: (row: R) => string;
  /** Where a row leads. The first column becomes the link. */
  href?: (row: R) => string;
  keys?: readonly RowKey<R>[];
  /** The keys of the rows that are picked; makes them pickable. */
  picked?: ReadonlySet<string>;
  onPick?: (picked: ReadonlySet<string>) => void;
  order?: Order | null;
  onOrder?: (order: Order) => void;
  /** One row, in words: `counted(n, 'webhook')`; `nouns` where many are not called so with an "s". */
  noun?: string;
  nouns?: string;
  /** Shown in place of the table where there is no row. */
  empty: ComponentChildren;
}

const BONES = 6;

/** A list as a table, which keyboard and screen readers can use. */
export function Table<R>(props: TableProps<R>) {
  const { label, list, columns, rowKey, href, keys = [], picked, onPick, empty, noun = 'row' } = props;
  const ownOrder = useSignal<Order | null>(null);
  const order = props.order === undefined ? ownOrder.value : props.order;
  const body = useRef<HTMLTableSectionElement>(null);
  const given = props.rows ?? list.rows;
  const rows = sorted(given ?? [], columns, order);
  const pick = (key: string, isPicked: boolean) => {
    const next = new Set(picked);
    if (isPicked) next.add(key);
    else next.delete(key);
    onPick?.(next);
  };
  const pickKey: RowKey<R> = {
    key: 'x',
    does: 'Select the row',
    run: (row) => pick(rowKey(row), !picked?.has(rowKey(row))),
  };
  useRowKeys(body, label, rows, rowKey, picked ? [...keys, pickKey] : keys);

  if (given === undefined && list.problem)
    return <ProblemBox problem={list.problem} onRetry={list.refresh} />;
  const isLoading = given === undefined;
  if (!isLoading && rows.length === 0 && !list.hasMore) return <div class="table-box">{empty}</div>;
  return (
    <>
      {list.problem && <ProblemBox problem={list.problem} onRetry={list.refresh} />}
      <div class="table-box">
        <div class="table-scroll">
          <table class="table" aria-busy={isLoading}>
            <caption class="hidden">{label}</caption>
            <TableHead
              columns={columns}
              order={order}
              onOrder={props.onOrder ?? ((next) => (ownOrder.value = next))}
              picking={
                picked && {
                  isAll: rows.length > 0 && rows.every((row) => picked.has(rowKey(row))),
                  onAll: (isAll) => onPick?.(new Set(isAll ? rows.map(rowKey) : [])),
                }
              }
            />
            <tbody ref={body}>
              {isLoading && <BoneRows columns={columns} hasPick={picked !== undefined} />}
              {rows.map((row) => {
                const key = rowKey(row);
                return (
                  <Row
                    key={key}
                    row={row}
                    columns={columns}
                    href={href?.(row)}
                    isPicked={picked?.has(key)}
                    onPick={(isPicked) => pick(key, isPicked)}
                  />
                );
              })}
            </tbody>
          </table>
        </div>
      </div>
      {!isLoading && (
        <div class="table-end">
          <span role="status">
            {counted(rows.length, noun, props.nouns)}
            {list.hasMore && order && ', in this order among those loaded'}
          </span>
          {list.hasMore && (
            <Button busy={list.busy} onClick={list.more}>
              Load more
            </Button>
          )}
        </div>
      )}
    </>
  );
}

const BoneRows = <R,>({ columns, hasPick }: { columns: readonly Column<R>[]; hasPick: boolean }) =>
  Array.from({ length: BONES }, (_, row) => (
    <tr key={row}>
      {hasPick && <td class="pick" />}
      {columns.map((column) => (
        <td key={column.key} class={classOf(column as Column<never>)}>
          <Bone />
        </td>
      ))}
    </tr>
  ));
