import { CloseButton } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { usePages } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { MethodBadge } from '../../parts/method-badge.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { nextOperation, rowsOf, type Operation, type Row } from './operation-rows.ts';

const text = words.api;

/** All operations of an API, loaded page by page and filtered by the server. */
export const OperationList = ({ id, chosen }: { readonly id: string; readonly chosen: string | null }) => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const tag = search.get('tag') ?? '';
  const filter = (name: 'q' | 'tag', value: string): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const pages = usePages(
    'GET /api/collections/:collection_id/operations',
    { params: { collection_id: id }, query: { q, tag } },
    { keepPrevious: true },
  );
  const list = useRef<HTMLDivElement>(null);
  const focusList = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus();
  };
  const isFiltered = q !== '' || tag !== '';
  return (
    <div className={styles.list} ref={list}>
      <div onKeyDown={focusList}>
        <SearchField label={text.filter} value={q} change={(value) => filter('q', value)} />
      </div>
      {tag === '' ? null : (
        <div className={styles.tagChosen}>
          <span>{text.tag(tag)}</span>
          <CloseButton aria-label={text.allTags(tag)} onClick={() => filter('tag', '')} />
        </div>
      )}
      {pages.isPending ? <Loading /> : null}
      <ErrorNote error={pages.error} retry={() => (pages.data ? pages.fetchNextPage() : pages.refetch())} />
      {pages.data && pages.rows.length === 0 ? <p>{isFiltered ? text.nothingMatches : text.noOperations}</p> : null}
      {pages.rows.length > 0 ? (
        <Rows
          key={`${q} ${tag}`}
          operations={pages.rows}
          chosen={chosen}
          chooseTag={(value) => filter('tag', value)}
          more={pages.hasNextPage && !pages.isFetchingNextPage ? pages.fetchNextPage : null}
        />
      ) : null}
      {pages.isFetchingNextPage ? <Loading more /> : null}
    </div>
  );
};

const rowHeight = 52;

interface RowsProps {
  readonly operations: readonly Operation[];
  readonly chosen: string | null;
  readonly chooseTag: (tag: string) => void;
  /** Loads the next page; null if there is none, or if it is already loading. */
  readonly more: (() => unknown) | null;
}

/** Renders only the rows in view. One of them is in the tab order, and the arrow keys move the focus from there. */
const Rows = ({ operations, chosen, chooseTag, more }: RowsProps) => {
  const rows = useMemo(() => rowsOf(operations), [operations]);
  const scroller = useRef<HTMLDivElement>(null);
  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  const activeKey = focusedKey ?? chosen;
  const foundIndex = rows.findIndex(({ key }) => key === activeKey);
  const active = foundIndex >= 0 ? foundIndex : (nextOperation(rows, -1, 1) ?? 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // Keeps the focused row rendered while scrolling.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), active])].sort((a, b) => a - b),
      [active],
    ),
  });
  const search = useSearchWithout('operation');
  const visibleRows = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && last >= rows.length - 30) more();
  }, [last, rows.length, more]);
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    if (foundIndex > 0) virtual.scrollToIndex(foundIndex, { align: 'center' });
  }, [foundIndex, virtual]);
  const move = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, rows, active);
    if (to === undefined) return;
    event.preventDefault();
    setFocusedKey(rows[to]?.key ?? null);
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)?.focus());
  };
  return (
    <div className={styles.scroller} ref={scroller} onKeyDown={move}>
      <ul aria-label={text.operations} aria-description={text.listHint} style={{ height: virtual.getTotalSize() }}>
        {visibleRows.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <li
              key={row.key}
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === 'tag' ? (
                <TagRow tag={row.tag} choose={chooseTag} />
              ) : (
                <OperationRow
                  operation={row.operation}
                  to={`?${search}${row.key}`}
                  isChosen={row.key === chosen}
                  isActive={index === active}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
};

/** Returns this page's query string with the given parameter at the end, ready for its value to be appended. */
const useSearchWithout = (name: string): string => {
  const [search] = useSearchParams();
  const rest = new URLSearchParams(search);
  rest.delete(name);
  rest.append(name, '');
  return rest.toString();
};

const pageStep = 10;

/** Returns the index of the row that a key moves to. */
const targetOf = (key: string, rows: readonly Row[], from: number): number | undefined => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: pageStep, PageUp: -pageStep }[key];
  if (key === 'Home') return nextOperation(rows, -1, 1);
  if (key === 'End') return nextOperation(rows, rows.length, -1);
  if (step === undefined) return undefined;
  let at = from;
  for (let count = Math.abs(step); count > 0; count--) at = nextOperation(rows, at, step > 0 ? 1 : -1) ?? at;
  return at;
};

const TagRow = ({ tag, choose }: { readonly tag: string | null; readonly choose: (tag: string) => void }) =>
  tag === null ? (
    <span className={styles.tag}>{text.untagged}</span>
  ) : (
    <button
      type="button"
      className={styles.tag}
      tabIndex={-1}
      aria-label={text.onlyTag(tag)}
      onClick={() => choose(tag)}
    >
      {tag}
    </button>
  );

/** A row that is rendered again only if it changes, not while scrolling. */
const OperationRow = memo(function OperationRow({
  operation,
  to,
  isChosen,
  isActive,
}: {
  readonly operation: Operation;
  readonly to: string;
  readonly isChosen: boolean;
  readonly isActive: boolean;
}) {
  return (
    <Link
      to={to}
      className={styles.operation}
      tabIndex={isActive ? 0 : -1}
      aria-current={isChosen ? 'true' : undefined}
      preventScrollReset
    >
      <MethodBadge method={operation.method} />
      <span className={styles.operationText}>
        <span className={styles.path}>{operation.path}</span>
        <span className={styles.quiet}>
          {operation.deprecated ? <strong>{text.deprecated} </strong> : null}
          {operation.summary ?? operation.operation_id ?? ''}
        </span>
      </span>
    </Link>
  );
});
