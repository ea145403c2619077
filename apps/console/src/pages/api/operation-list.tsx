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
import { findNextOperation, rowsOf, type Operation, type Row } from './operation-rows.ts';

const text = words.api;

/** All operations of an API, loaded page by page and filtered by the server. */
export const OperationList = ({ id, selectedKey }: { readonly id: string; readonly selectedKey: string | null }) => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const tag = search.get('tag') ?? '';
  const filter = (name: 'q' | 'tag', value: string): void =>
    setSearch(
      (previous) => {
        const next = new URLSearchParams(previous);
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
          <span>{text.selectedTag(tag)}</span>
          <CloseButton aria-label={text.clearTag(tag)} onClick={() => filter('tag', '')} />
        </div>
      )}
      {pages.isPending ? <Loading /> : null}
      <ErrorNote error={pages.error} retry={() => (pages.data ? pages.fetchNextPage() : pages.refetch())} />
      {pages.data && pages.rows.length === 0 ? <p>{isFiltered ? text.nothingMatches : text.noOperations}</p> : null}
      {pages.rows.length > 0 ? (
        <Rows
          key={`${q} ${tag}`}
          operations={pages.rows}
          selectedKey={selectedKey}
          selectTag={(value) => filter('tag', value)}
          loadMore={pages.hasNextPage && !pages.isFetchingNextPage ? pages.fetchNextPage : null}
        />
      ) : null}
      {pages.isFetchingNextPage ? <Loading more /> : null}
    </div>
  );
};

const rowHeight = 52;

interface RowsProps {
  readonly operations: readonly Operation[];
  readonly selectedKey: string | null;
  readonly selectTag: (tag: string) => void;
  /** Loads the next page; null if there is none, or if it is already loading. */
  readonly loadMore: (() => unknown) | null;
}

/** Renders only the rows in view. One of them is in the tab order, and the arrow keys move the focus from there. */
const Rows = ({ operations, selectedKey, selectTag, loadMore }: RowsProps) => {
  const rows = useMemo(() => rowsOf(operations), [operations]);
  const scroller = useRef<HTMLDivElement>(null);
  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  const activeKey = focusedKey ?? selectedKey;
  const foundIndex = rows.findIndex(({ key }) => key === activeKey);
  const activeIndex = foundIndex >= 0 ? foundIndex : (findNextOperation(rows, -1, 1) ?? 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // Keeps the focused row rendered while scrolling.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((a, b) => a - b),
      [activeIndex],
    ),
  });
  const search = useQueryPrefix('operation');
  const visibleRows = virtual.getVirtualItems();
  const lastIndex = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (loadMore && lastIndex >= rows.length - 30) loadMore();
  }, [lastIndex, rows.length, loadMore]);
  const hasScrolled = useRef(false);
  useEffect(() => {
    if (hasScrolled.current) return;
    hasScrolled.current = true;
    if (foundIndex > 0) virtual.scrollToIndex(foundIndex, { align: 'center' });
  }, [foundIndex, virtual]);
  const move = (event: KeyboardEvent): void => {
    const targetIndex = targetOf(event.key, rows, activeIndex);
    if (targetIndex === undefined) return;
    event.preventDefault();
    setFocusedKey(rows[targetIndex]?.key ?? null);
    virtual.scrollToIndex(targetIndex, { align: 'auto' });
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${targetIndex}"] a`)?.focus(),
    );
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
                <TagRow tag={row.tag} select={selectTag} />
              ) : (
                <OperationRow
                  operation={row.operation}
                  to={`?${search}${row.key}`}
                  isSelected={row.key === selectedKey}
                  isActive={index === activeIndex}
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
const useQueryPrefix = (name: string): string => {
  const [search] = useSearchParams();
  const parameters = new URLSearchParams(search);
  parameters.delete(name);
  parameters.append(name, '');
  return parameters.toString();
};

const pageStep = 10;

/** Returns the index of the row that a key moves to. */
const targetOf = (key: string, rows: readonly Row[], from: number): number | undefined => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: pageStep, PageUp: -pageStep }[key];
  if (key === 'Home') return findNextOperation(rows, -1, 1);
  if (key === 'End') return findNextOperation(rows, rows.length, -1);
  if (step === undefined) return undefined;
  let index = from;
  for (let count = Math.abs(step); count > 0; count--)
    index = findNextOperation(rows, index, step > 0 ? 1 : -1) ?? index;
  return index;
};

const TagRow = ({ tag, select }: { readonly tag: string | null; readonly select: (tag: string) => void }) =>
  tag === null ? (
    <span className={styles.tag}>{text.untagged}</span>
  ) : (
    <button
      type="button"
      className={styles.tag}
      tabIndex={-1}
      aria-label={text.onlyTag(tag)}
      onClick={() => select(tag)}
    >
      {tag}
    </button>
  );

/** A row that is rendered again only if it changes, not while scrolling. */
const OperationRow = memo(function OperationRow({
  operation,
  to,
  isSelected,
  isActive,
}: {
  readonly operation: Operation;
  readonly to: string;
  readonly isSelected: boolean;
  readonly isActive: boolean;
}) {
  return (
    <Link
      to={to}
      className={styles.operation}
      tabIndex={isActive ? 0 : -1}
      aria-current={isSelected ? 'true' : undefined}
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
