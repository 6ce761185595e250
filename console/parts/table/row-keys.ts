import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { type Key, useKeys } from '../keyboard.js';
import { remember, remembered } from '../navigation.js';

/** A key that acts on the row that has the focus. */
export interface RowKey<R> {
  key: string;
  does: string;
  run: (row: R) => void;
}

const LINKS = '.row-link';

/** `j` and `k` move between rows; the further keys act on the row with the focus. */
export function useRowKeys<R>(
  body: RefObject<HTMLElement | null>,
  label: string,
  rows: readonly R[],
  rowKey: (row: R) => string,
  keys: readonly RowKey<R>[],
): void {
  const links = () => [...(body.current?.querySelectorAll<HTMLElement>(LINKS) ?? [])];
  const focusedLink = () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>(LINKS) ?? null;
  const move = (by: number) => {
    const all = links();
    const from = all.indexOf(focusedLink() as HTMLElement);
    // From nowhere, either key begins at the top.
    const link = all[from === -1 ? 0 : Math.min(all.length - 1, Math.max(0, from + by))];
    link?.focus();
    link?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  };
  const onRow = ({ key, does, run }: RowKey<R>): Key => ({
    key,
    does,
    run: () => {
      const row =
        body.current?.contains(document.activeElement) && rows[links().indexOf(focusedLink() as HTMLElement)];
      if (!row) return false;
      run(row);
    },
  });
  useKeys([
    { key: 'j', does: 'Next row', run: () => move(1) },
    { key: 'k', does: 'Previous row', run: () => move(-1) },
    { key: 'Enter', does: 'Open the row', run: () => false },
    ...keys.map(onRow),
  ]);

  // Back from a row, the focus is on it again. `rows` may come later than the table.
  const isThere = rows.length > 0;
  useLayoutEffect(() => {
    if (!isThere) return;
    const key = remembered(label);
    const index = rows.findIndex((row) => rowKey(row) === key);
    if (index !== -1) links()[index]?.focus();
  }, [isThere]);
  useLayoutEffect(() => {
    const note = () => {
      const index = links().indexOf(document.activeElement as HTMLElement);
      const row = rows[index];
      if (row !== undefined) remember(label, rowKey(row));
    };
    const element = body.current;
    element?.addEventListener('focusin', note);
    return () => element?.removeEventListener('focusin', note);
  });
}
