import { Icon } from '../icon.js';
import { type Column, classOf, type Order } from './columns.js';

interface Picking {
  isAll: boolean;
  onAll: (isAll: boolean) => void;
}

/** The names of the columns; those one can sort by are buttons. */
export const TableHead = <R,>({
  columns,
  order,
  onOrder,
  picking,
}: {
  columns: readonly Column<R>[];
  order: Order | null;
  onOrder: (order: Order) => void;
  picking: Picking | undefined;
}) => (
  <thead>
    <tr>
      {picking && (
        <th class="pick" scope="col">
          <input
            type="checkbox"
            aria-label="Select all"
            checked={picking.isAll}
            onChange={(event) => picking.onAll(event.currentTarget.checked)}
          />
        </th>
      )}
      {columns.map((column) => {
        const { key, header, sortBy, descendingFirst = false } = column;
        const isOrder = order?.key === key;
        const next = { key, descending: isOrder ? !order.descending : descendingFirst };
        return (
          <th
            key={key}
            scope="col"
            class={classOf(column as Column<never>)}
            aria-sort={isOrder ? (order.descending ? 'descending' : 'ascending') : undefined}
          >
            {sortBy ? (
              <button type="button" onClick={() => onOrder(next)}>
                {header}
                {isOrder && <Icon name={order.descending ? 'down' : 'up'} size={12} />}
              </button>
            ) : (
              header
            )}
          </th>
        );
      })}
    </tr>
  </thead>
);
