import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly className?: 'number' | 'tight';
  /** Instead of the title in the head. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
}

/**
 * A plain table; on a phone each row is a card. The roles are spelt out since browsers take them away from elements that
 * are not displayed as a table.
 */
export function DataTable<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  return (
    <table className="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ key, title, head, className }) => (
            <th key={key} role="columnheader" scope="col" className={className}>
              {head ?? title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map(({ key, title, className, cell }) => (
              <td key={key} role="cell" className={className} data-label={title}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
