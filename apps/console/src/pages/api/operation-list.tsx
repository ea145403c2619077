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

/** All operations of an API, however many; filtered by the server. */
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
    { keep: true },
  );
  const list = useRef<HTMLDivElement>(null);
  const intoList = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus();
  };
  const isFiltered = q !== '' || tag !== '';
  return (
    <div className={styles.list} ref={list}>
      <div onKeyDown={intoList}>
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

interface RowsFacts {
  readonly operations: readonly Operation[];
  readonly chosen: string | null;
  readonly chooseTag: (tag: string) => void;
  /** Asks for the next page; null if there is none, or if it is on its way. */
  readonly more: (() => unknown) | null;
}

/** Only the lines in view are in the page. One of them takes part in the order of Tab; the arrows move on from it. */
const Rows = ({ operations, chosen, chooseTag, more }: RowsFacts) => {
  const rows = useMemo(() => rowsOf(operations), [operations]);
  const scroller = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<string | null>(null);
  const wanted = moved ?? chosen;
  const found = rows.findIndex(({ key }) => key === wanted);
  const active = found >= 0 ? found : (nextOperation(rows, -1, 1) ?? 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // What has the focus stays in the page, wherever one scrolls.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), active])].sort((a, b) => a - b),
      [active],
    ),
  });
  const search = useSearchWithout('operation');
  const shown = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (more && last >= rows.length - 30) more();
  }, [last, rows.length, more]);
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    if (found > 0) virtual.scrollToIndex(found, { align: 'center' });
  }, [found, virtual]);
  const move = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, rows, active);
    if (to === undefined) return;
    event.preventDefault();
    setMoved(rows[to]?.key ?? null);
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)?.focus());
  };
  return (
    <div className={styles.scroller} ref={scroller} onKeyDown={move}>
      <ul aria-label={text.operations} aria-description={text.listHint} style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
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

/** The search of this page, to be ended by the value of this parameter. */
const useSearchWithout = (name: string): string => {
  const [search] = useSearchParams();
  const rest = new URLSearchParams(search);
  rest.delete(name);
  rest.append(name, '');
  return rest.toString();
};

const pageStep = 10;

/** Where a key leads. */
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

/** Drawn again only if it changes, not as one scrolls. */
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
