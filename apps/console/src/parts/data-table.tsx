import { Checkbox } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { words } from '../words/words.ts';
import styles from './data-table.module.css';
import { ErrorNote } from './error-note.tsx';
import { Loading } from './loading.tsx';

/** A column: its header, and the cell of a row. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether only screen readers get the header; used for columns of buttons. */
  readonly headerHidden?: boolean;
}

/** The loaded part of a server-side list, as returned by `usePages`. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly error: unknown;
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
  readonly refetch: () => unknown;
}

/** Wraps a list that is completely contained in one response. */
export const toSinglePage = <Row,>(read: {
  readonly data: readonly Row[] | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}): Pages<Row> => ({
  rows: read.data ?? [],
  error: read.error,
  isPending: read.isPending,
  hasNextPage: false,
  isFetchingNextPage: false,
  fetchNextPage: () => undefined,
  refetch: read.refetch,
});

export interface Selection<Row> {
  readonly keys: ReadonlySet<string>;
  readonly change: (keys: ReadonlySet<string>) => void;
  /** Returns a row's name, for the label of its checkbox. */
  readonly nameOf: (row: Row) => string;
  readonly canSelect?: (row: Row) => boolean;
}

/** The keys of the selected rows. */
export const useSelectedKeys = () => useState<ReadonlySet<string>>(new Set());

interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly pages: Pages<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly selection?: Selection<Row>;
}

const rowHeight = 45;

/** A table of any length: renders only the rows in view, and loads more while scrolling. */
export const DataTable = <Row,>({ label, columns, pages, keyOf, empty, selection }: DataTableProps<Row>) => {
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const body = useRef<HTMLTableSectionElement>(null);
  const [topOffset, setTopOffset] = useState(0);
  // Measured after each render: the content above may grow, for example when another table on the page loads later.
  useLayoutEffect(() => setTopOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)));
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: topOffset,
  });
  const visibleRows = virtual.getVirtualItems();
  const lastIndex = visibleRows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastIndex >= rows.length - 20) fetchNextPage();
  }, [lastIndex, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (pages.isPending) return <Loading />;
  if (pages.error && rows.length === 0) return <ErrorNote error={pages.error} retry={pages.refetch} />;
  if (rows.length === 0) return <p>{empty}</p>;
  const heightBefore = (visibleRows[0]?.start ?? topOffset) - topOffset;
  const heightAfter = virtual.getTotalSize() - ((visibleRows.at(-1)?.end ?? topOffset) - topOffset);
  const columnCount = columns.length + (selection ? 1 : 0);
  return (
    <>
      <table
        role="table"
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        className={styles.table}
      >
        <Head columns={columns} rows={rows} keyOf={keyOf} selection={selection} />
        <tbody role="rowgroup" ref={body}>
          <Spacer height={heightBefore} columnCount={columnCount} />
          {visibleRows.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = keyOf(row);
            return (
              <tr
                key={key}
                role="row"
                ref={virtual.measureElement}
                data-index={index}
                data-chosen={selection?.keys.has(key) ? '' : undefined}
                aria-rowindex={index + 2}
              >
                {selection ? <SelectRow row={row} rowKey={key} selection={selection} /> : null}
                {columns.map(({ header, headerHidden, cell }) => (
                  <td key={header} role="cell" data-label={headerHidden ? '' : header}>
                    <div>{cell(row)}</div>
                  </td>
                ))}
              </tr>
            );
          })}
          <Spacer height={heightAfter} columnCount={columnCount} />
        </tbody>
      </table>
      <div className={styles.foot}>
        {isFetchingNextPage ? <Loading more /> : null}
        <ErrorNote error={pages.error} retry={fetchNextPage} />
      </div>
    </>
  );
};

const Head = <Row,>({
  columns,
  rows,
  keyOf,
  selection,
}: Pick<DataTableProps<Row>, 'columns' | 'keyOf' | 'selection'> & { readonly rows: readonly Row[] }) => (
  <thead role="rowgroup">
    <tr role="row">
      {selection ? <SelectAll rows={rows} keyOf={keyOf} selection={selection} /> : null}
      {columns.map(({ header, headerHidden }) => (
        <th key={header} role="columnheader" scope="col">
          {headerHidden ? <span className={styles.hidden}>{header}</span> : header}
        </th>
      ))}
    </tr>
  </thead>
);

/** Takes up the space of the rows that are not rendered. */
const Spacer = ({ height, columnCount }: { readonly height: number; readonly columnCount: number }) =>
  height > 0 ? (
    <tr aria-hidden className={styles.spacer}>
      <td colSpan={columnCount} style={{ height }} />
    </tr>
  ) : null;

const SelectAll = <Row,>({
  rows,
  keyOf,
  selection: { keys, change, canSelect = () => true },
}: {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly selection: Selection<Row>;
}) => {
  const selectableKeys = rows.filter(canSelect).map(keyOf);
  const isAllSelected = selectableKeys.length > 0 && selectableKeys.every((key) => keys.has(key));
  return (
    <th role="columnheader" scope="col" className={styles.pick}>
      <Checkbox
        size="xs"
        aria-label={words.frame.selectAll}
        checked={isAllSelected}
        indeterminate={!isAllSelected && keys.size > 0}
        onChange={() => change(new Set(isAllSelected ? [] : selectableKeys))}
      />
    </th>
  );
};

const SelectRow = <Row,>({
  row,
  rowKey,
  selection: { keys, change, nameOf, canSelect = () => true },
}: {
  readonly row: Row;
  readonly rowKey: string;
  readonly selection: Selection<Row>;
}) => (
  <td role="cell" className={styles.pick} data-label="">
    <Checkbox
      size="xs"
      aria-label={words.frame.select(nameOf(row))}
      disabled={!canSelect(row)}
      checked={keys.has(rowKey)}
      onChange={() => {
        const next = new Set(keys);
        if (!next.delete(rowKey)) next.add(rowKey);
        change(next);
      }}
    />
  </td>
);
