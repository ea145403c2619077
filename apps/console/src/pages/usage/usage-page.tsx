import { Anchor, SegmentedControl, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { ApiChoice, PersonChoice } from '../../parts/choices.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import { dailyOf } from './counts.ts';
import { CsvButton } from './csv-button.tsx';
import { DayTable } from './day-table.tsx';
import { ApisByUsage, PeopleByUsage } from './by-usage.tsx';
import type { UsageFilter } from './usage-filter.ts';
import { boundsOf, daysChoices, daysOf, rangeOf, type UsageRange } from './usage-range.ts';
import styles from './usage.module.css';

const text = words.use;

/** The chart library is loaded when there is data to draw. */
const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

/** The usage by day, API and person. The service shows a client only their own usage. */
export const Component = () => {
  const isAdmin = useMe().role === 'admin';
  const [search, setSearch] = useSearchParams();
  const [now] = useState(() => Date.now());
  const range = rangeOf(search);
  const api = search.get('api') ?? '';
  const person = isAdmin ? (search.get('person') ?? '') : '';
  const filter: UsageFilter = {
    ...boundsOf(range, now),
    ...(api === '' ? {} : { collection: api }),
    ...(person === '' ? {} : { profile: person }),
  };
  const set = (changes: Readonly<Record<string, string>>): void =>
    setSearch(() => {
      // Uses the current URL, not the rendered one: the user may click again before the page has rendered the first
      // change.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(changes))
        if (value) next.set(name, value);
        else next.delete(name);
      return next;
    });
  return (
    <Page title={text.title}>
      <fieldset className={styles.filters}>
        <legend className={styles.hidden}>{text.range}</legend>
        <RangeFields range={range} set={set} />
        <ApiChoice label={text.api} placeholder={text.anyApi} value={api} change={(value) => set({ api: value })} />
        {isAdmin ? (
          <PersonChoice
            label={text.person}
            placeholder={text.anyone}
            value={person}
            change={(value) => set({ person: value })}
          />
        ) : null}
      </fieldset>
      <p className={styles.quiet}>
        {text.utc}
        {person === '' ? null : (
          <>
            {' '}
            <Anchor inherit underline="always" component={Link} to={`/people/${encodeURIComponent(person)}`}>
              {text.openPerson}
            </Anchor>
          </>
        )}
      </p>
      <PerDay filter={filter} days={daysOf(range, now)} />
      <div className={styles.lists}>
        {api === '' ? <ApisByUsage filter={filter} choose={(value) => set({ api: value })} /> : null}
        {isAdmin && person === '' ? <PeopleByUsage filter={filter} choose={(value) => set({ person: value })} /> : null}
      </div>
    </Page>
  );
};

const RangeFields = ({
  range,
  set,
}: {
  readonly range: UsageRange;
  readonly set: (changes: Readonly<Record<string, string>>) => void;
}) => {
  const [hasDates, setHasDates] = useState(range.kind === 'dates');
  const choose = (value: string): void => {
    setHasDates(value === 'dates');
    if (value !== 'dates') set({ days: value, from: '', to: '' });
  };
  const [from, to] = range.kind === 'dates' ? [range.from, range.to] : ['', ''];
  return (
    <>
      <SegmentedControl
        aria-label={text.range}
        value={hasDates || range.kind === 'dates' ? 'dates' : String(range.days)}
        onChange={choose}
        data={[...daysChoices.map(String), 'dates'].map((value) => ({
          value,
          label: text.ranges[value as keyof typeof text.ranges],
        }))}
      />
      {hasDates || range.kind === 'dates' ? (
        <>
          <TextInput
            type="date"
            label={text.from}
            value={from}
            onChange={({ currentTarget }) => set({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={text.to}
            value={to}
            onChange={({ currentTarget }) => set({ to: currentTarget.value })}
          />
        </>
      ) : null}
    </>
  );
};

const PerDay = ({ filter, days }: { readonly filter: UsageFilter; readonly days: readonly string[] }) => {
  const read = useRead('GET /api/usage', { query: { by: 'day', ...filter } }, { keepPrevious: true });
  const daily = dailyOf(days, read.data ?? []);
  return (
    <section aria-labelledby="per-day" className={styles.section}>
      <div className={styles.head}>
        <h2 id="per-day">{text.perDay}</h2>
        <CsvButton by="day" filter={filter} listTitle={text.perDay} />
      </div>
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {read.isPending ? <Loading /> : null}
      {read.data?.length === 0 ? <p>{text.none}</p> : null}
      {read.data && read.data.length > 0 ? (
        <>
          <Suspense
            fallback={
              <div className={styles.chart}>
                <Loading />
              </div>
            }
          >
            <DayChart days={daily} />
          </Suspense>
          <DayTable days={daily} />
          <p className={styles.quiet}>{text.explanation}</p>
        </>
      ) : null}
    </section>
  );
};
