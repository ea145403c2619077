import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { useRead } from '../../api/use-call.ts';
import { apiLabelWithId } from '../../parts/api-label.ts';
import { singlePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import { byUsage, countNames, usageOf, type UsageLine } from './counts.ts';
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
  const { read, whole } = useUsageLines('collection', filter);
  const names = (read.data ?? []).map(({ collection_name: name }) => name);
  // The service rejects an ambiguous name, so the URL contains the id if several APIs have the same name.
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  const subject = ({ collection_id: id, collection_name: name }: UsageLine): ReactNode => {
    if (!id) return text.noApi;
    if (!name) return text.hiddenApi;
    const isShared = twice.has(name);
    return <Narrow name={isShared ? apiLabelWithId({ id, name }) : name} act={() => choose(isShared ? id : name)} />;
  };
  return (
    <ByUsage
      by="collection"
      title={text.apis}
      header={text.api}
      empty={text.noApis}
      read={read}
      whole={whole}
      filter={filter}
      subject={subject}
      keyOf={({ collection_id: id }) => id ?? ''}
    />
  );
};

/** The people with usage, most active first. */
export const PeopleByUsage = ({ filter, choose }: ByUsageProps) => {
  const { read, whole } = useUsageLines('profile', filter);
  return (
    <ByUsage
      by="profile"
      title={text.people}
      header={text.person}
      empty={text.noPeople}
      read={read}
      whole={whole}
      filter={filter}
      subject={({ profile_email: email = '' }) => <Narrow name={email} act={() => choose(email)} />}
      keyOf={({ profile_id: id }) => id ?? ''}
    />
  );
};

const Narrow = ({ name, act }: { readonly name: string; readonly act: () => void }) => (
  <button type="button" className={styles.subject} title={text.narrow(name)} onClick={act}>
    {name}
  </button>
);

const shownFirst = 50;

/** Reads the first lines plus one, to find out whether there are more; reads all lines on request. */
const useUsageLines = (by: 'collection' | 'profile', filter: UsageFilter) => {
  const [isWhole, setWhole] = useState(false);
  const top = isWhole ? {} : { top: shownFirst + 1 };
  const read = useRead('GET /api/usage', { query: { by, ...filter, ...top } }, { keepPrevious: true });
  return { read, whole: { isShown: isWhole && !read.isPlaceholderData, show: () => setWhole(true) } };
};

const ByUsage = ({
  by,
  title,
  header,
  empty,
  read,
  whole,
  filter,
  subject,
  keyOf,
}: {
  readonly by: 'collection' | 'profile';
  readonly title: string;
  readonly header: string;
  readonly empty: string;
  readonly read: ReturnType<typeof useUsageLines>['read'];
  readonly whole: ReturnType<typeof useUsageLines>['whole'];
  readonly filter: UsageFilter;
  readonly subject: (line: UsageLine) => ReactNode;
  readonly keyOf: (line: UsageLine) => string;
}) => {
  const lines = useMemo(() => [...(read.data ?? [])].sort(byUsage), [read.data]);
  const most = Math.max(1, ...lines.slice(0, 1).map(usageOf));
  const visibleLines = whole.isShown ? lines : lines.slice(0, shownFirst);
  const columns: readonly Column<UsageLine>[] = [
    { header, cell: subject },
    { header: text.usage, cell: (line) => <Bar share={usageOf(line) / most} count={usageOf(line)} /> },
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
        pages={singlePage({ ...read, data: read.data && visibleLines })}
        keyOf={keyOf}
        empty={empty}
      />
      {lines.length > visibleLines.length ? (
        <p className={styles.quiet}>
          {text.first(visibleLines.length)}{' '}
          <Button variant="default" size="xs" onClick={whole.show} loading={read.isFetching}>
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
    .filter((name) => line[name] > 0)
    .map((name) => text.parts[name](line[name]))
    .join(' · ');
