import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { useRead } from '../../api/use-call.ts';
import { apiLabelWithId } from '../../parts/api-label.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import { byUse, countNames, usesOf, type UseLine } from './counts.ts';
import { CsvButton } from './csv-button.tsx';
import type { UseFilter } from './use-filter.ts';
import styles from './use.module.css';

const text = words.use;

interface ByUseFacts {
  readonly filter: UseFilter;
  /** Narrows the page to one of the lines. */
  readonly choose: (value: string) => void;
}

/** The APIs that were used, the most used first. */
export const ApisByUse = ({ filter, choose }: ByUseFacts) => {
  const { read, whole } = useLines('collection', filter);
  const names = (read.data ?? []).map(({ collection_name: name }) => name);
  // Of APIs with one name the service asks which: then the address has the id.
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  const subject = ({ collection_id: id, collection_name: name }: UseLine): ReactNode => {
    if (!id) return text.noApi;
    if (!name) return text.goneApi;
    const isShared = twice.has(name);
    return <Narrow name={isShared ? apiLabelWithId({ id, name }) : name} act={() => choose(isShared ? id : name)} />;
  };
  return (
    <ByUse
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

/** The people who used something, the busiest first. */
export const PeopleByUse = ({ filter, choose }: ByUseFacts) => {
  const { read, whole } = useLines('profile', filter);
  return (
    <ByUse
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

/** The first lines, one more to know of others, or all of them once somebody asks. */
const useLines = (by: 'collection' | 'profile', filter: UseFilter) => {
  const [isWhole, setWhole] = useState(false);
  const top = isWhole ? {} : { top: shownFirst + 1 };
  const read = useRead('GET /api/usage', { query: { by, ...filter, ...top } }, { keep: true });
  return { read, whole: { isShown: isWhole && !read.isPlaceholderData, show: () => setWhole(true) } };
};

const ByUse = ({
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
  readonly read: ReturnType<typeof useLines>['read'];
  readonly whole: ReturnType<typeof useLines>['whole'];
  readonly filter: UseFilter;
  readonly subject: (line: UseLine) => ReactNode;
  readonly keyOf: (line: UseLine) => string;
}) => {
  const lines = useMemo(() => [...(read.data ?? [])].sort(byUse), [read.data]);
  const most = Math.max(1, ...lines.slice(0, 1).map(usesOf));
  const shown = whole.isShown ? lines : lines.slice(0, shownFirst);
  const columns: readonly Column<UseLine>[] = [
    { header, cell: subject },
    { header: text.use, cell: (line) => <Bar share={usesOf(line) / most} count={usesOf(line)} /> },
    { header: text.ofThese, cell: (line) => partsOf(line) },
  ];
  return (
    <section aria-labelledby={`by-${by}`} className={styles.section}>
      <div className={styles.head}>
        <h2 id={`by-${by}`}>{title}</h2>
        <CsvButton by={by} filter={filter} what={title} />
      </div>
      <DataTable
        label={title}
        columns={columns}
        pages={allAtOnce({ ...read, data: read.data && shown })}
        keyOf={keyOf}
        empty={empty}
      />
      {lines.length > shown.length ? (
        <p className={styles.quiet}>
          {text.first(shown.length)}{' '}
          <Button variant="default" size="xs" onClick={whole.show} loading={read.isFetching}>
            {text.all}
          </Button>
        </p>
      ) : null}
    </section>
  );
};

/** The number beside it says what the bar shows. */
const Bar = ({ share, count }: { readonly share: number; readonly count: number }) => (
  <div className={styles.use}>
    <div className={styles.track} aria-hidden>
      <div className={styles.bar} style={{ width: `${Math.max(share * 100, count > 0 ? 1 : 0)}%` }} />
    </div>
    <span>{words.formats.number(count)}</span>
  </div>
);

const partsOf = (line: UseLine): string =>
  countNames
    .filter((name) => line[name] > 0)
    .map((name) => text.parts[name](line[name]))
    .join(' · ');
