import { Component } from 'preact';
import { type Column, classOf } from './columns.js';

interface RowProps<R> {
  row: R;
  columns: readonly Column<R>[];
  /** Where the first cell leads. */
  href: string | undefined;
  /** Undefined where rows cannot be picked. */
  isPicked: boolean | undefined;
  onPick: (isPicked: boolean) => void;
}

const COMPARED = ['row', 'columns', 'href', 'isPicked'] as const;

/**
 * A row of a table. It is rendered anew only if something of it is another, or a signal that its cells read: a stream changes
 * few rows of many, in every frame.
 */
export class Row<R> extends Component<RowProps<R>> {
  override shouldComponentUpdate(next: RowProps<R>, state: object): boolean {
    return state !== this.state || COMPARED.some((name) => next[name] !== this.props[name]);
  }

  override render({ row, columns, href, isPicked }: RowProps<R>) {
    return (
      <tr aria-selected={isPicked}>
        {isPicked !== undefined && (
          <td class="pick">
            <input
              type="checkbox"
              aria-label="Select"
              checked={isPicked}
              onChange={(event) => this.props.onPick(event.currentTarget.checked)}
            />
          </td>
        )}
        {columns.map((column, index) => (
          <td key={column.key} class={classOf(column as Column<never>)}>
            {index === 0 && href ? (
              <a class="row-link" href={href}>
                {column.cell(row)}
              </a>
            ) : (
              column.cell(row)
            )}
          </td>
        ))}
      </tr>
    );
  }
}
