import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { useRead } from '../../api/use-call.ts';
import { formatApiLabelWithId } from '../../parts/api-label.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import { compareByUsage, countNames, countOf, usageOf, type UsageLine } from './counts.ts';
import { CsvButton } from './csv-button.tsx';
import type { UsageFilter } from './usage-filter.ts';
import styles from './usage.module.css';

const text = words.use;

interface ByUsageProps {
  readonly filter: UsageFilter;
  /** Filters the page by one of the lines. */
  readonly choose: (value: string) => void;
}

/** The APIs that were used, most used first. */
export const ApisByUsage = ({ filter, choose }: ByUsageProps) => {
  const { read, fullList } = useUsageLines('collection', filter);
  const names = (read.data ?? []).map(({ collection_name: name }) => name);
  // The service rejects an ambiguous name, so the URL contains the id if several APIs have the same name.
  const duplicateNames = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const renderSubject = ({ collection_id: id, collection_name: name }: UsageLine): ReactNode => {
    if (!id) return text.noApi;
    if (!name) return text.hiddenApi;
    const isShared = duplicateNames.has(name);
    return (
      <FilterButton
        name={isShared ? formatApiLabelWithId({ id, name }) : name}
        applyFilter={() => choose(isShared ? id : name)}
      />
    );
  };
  return (
    <ByUsage
      by="collection"
      title={text.apis}
      header={text.api}
      empty={text.noApis}
      read={read}
      fullList={fullList}
      filter={filter}
      renderSubject={renderSubject}
      keyOf={({ collection_id: id }) => id ?? ''}
    />
  );
};

/** The people with usage, most active first. */
export const PeopleByUsage = ({ filter, choose }: ByUsageProps) => {
  const { read, fullList } = useUsageLines('profile', filter);
  return (
    <ByUsage
      by="profile"
      title={text.people}
      header={text.person}
      empty={text.noPeople}
      read={read}
      fullList={fullList}
      filter={filter}
      renderSubject={({ profile_email: email = '' }) => <FilterButton name={email} applyFilter={() => choose(email)} />}
      keyOf={({ profile_id: id }) => id ?? ''}
    />
  );
};

const FilterButton = ({ name, applyFilter }: { readonly name: string; readonly applyFilter: () => void }) => (
  <button type="button" className={styles.subject} title={text.showOnly(name)} onClick={applyFilter}>
    {name}
  </button>
);

const shownMax = 50;

/** Reads the first lines plus one, to find out whether there are more; reads all lines on request. */
const useUsageLines = (by: 'collection' | 'profile', filter: UsageFilter) => {
  const [isFullList, setIsFullList] = useState(false);
  const top = isFullList ? {} : { top: shownMax + 1 };
  const read = useRead('GET /api/usage', { query: { by, ...filter, ...top } }, { keepPrevious: true });
  return { read, fullList: { isShown: isFullList && !read.isPlaceholderData, show: () => setIsFullList(true) } };
};

const ByUsage = ({
  by,
  title,
  header,
  empty,
  read,
  fullList,
  filter,
  renderSubject,
  keyOf,
}: {
  readonly by: 'collection' | 'profile';
  readonly title: string;
  readonly header: string;
  readonly empty: string;
  readonly read: ReturnType<typeof useUsageLines>['read'];
  readonly fullList: ReturnType<typeof useUsageLines>['fullList'];
  readonly filter: UsageFilter;
  readonly renderSubject: (line: UsageLine) => ReactNode;
  readonly keyOf: (line: UsageLine) => string;
}) => {
  const lines = useMemo(() => [...(read.data ?? [])].sort(compareByUsage), [read.data]);
  const usageMax = Math.max(1, ...lines.slice(0, 1).map(usageOf));
  const visibleLines = fullList.isShown ? lines : lines.slice(0, shownMax);
  const columns: readonly Column<UsageLine>[] = [
    { header, cell: renderSubject },
    { header: text.usage, cell: (line) => <Bar share={usageOf(line) / usageMax} count={usageOf(line)} /> },
    { header: text.breakdown, cell: (line) => partsOf(line) },
  ];
  return (
    <section aria-labelledby={`by-${by}`} className={styles.section}>
      <div className={styles.head}>
        <h2 id={`by-${by}`}>{title}</h2>
        <CsvButton by={by} filter={filter} listTitle={title} />
      </div>
      <DataTable
        label={title}
        columns={columns}
        pages={toSinglePage({ ...read, data: read.data && visibleLines })}
        keyOf={keyOf}
        empty={empty}
      />
      {lines.length > visibleLines.length ? (
        <p className={styles.quiet}>
          {text.showingFirst(visibleLines.length)}{' '}
          <Button variant="default" size="xs" onClick={fullList.show} loading={read.isFetching}>
            {text.all}
          </Button>
        </p>
      ) : null}
    </section>
  );
};

/** A bar that represents the number next to it. */
const Bar = ({ share, count }: { readonly share: number; readonly count: number }) => (
  <div className={styles.usageBar}>
    <div className={styles.track} aria-hidden>
      <div className={styles.bar} style={{ width: `${Math.max(share * 100, count > 0 ? 1 : 0)}%` }} />
    </div>
    <span>{words.formats.number(count)}</span>
  </div>
);

const partsOf = (line: UsageLine): string =>
  countNames
    .filter((name) => countOf(line, name) > 0)
    .map((name) => text.parts[name](countOf(line, name)))
    .join(' · ');
