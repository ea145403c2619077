import { Anchor, NativeSelect, SegmentedControl } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { usePages, useTotal } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import type { Person } from './listed-person.ts';
import { BulkActions } from './bulk-actions.tsx';
import styles from './people.module.css';
import { PersonState } from './person-state.tsx';

const text = words.people;

type Status = keyof typeof text.statuses;

/** The query for each status. Suspended people are also approved, but are listed separately. */
const filters = {
  pending: { registration_status: 'pending' },
  approved: { registration_status: 'approved', suspended: false },
  suspended: { suspended: true },
  rejected: { registration_status: 'rejected' },
  all: {},
} as const satisfies Record<Status, object>;

/** Lists all registered people, initially only those who are pending. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const selectedStatus = search.get('status') ?? '';
  const q = search.get('q') ?? '';
  const status = statusOf(selectedStatus, q);
  const role = search.get('role') ?? 'all';
  const [selectedPeople, setSelectedPeople] = useState<ReadonlyMap<string, Person>>(new Map());
  const changeFilters = (changes: Record<string, string>): void => {
    setSearch({ status: selectedStatus, q, role, ...changes }, { replace: true });
    if (statusOf(changes['status'] ?? selectedStatus, changes['q'] ?? q) !== status) setSelectedPeople(new Map());
  };
  const filter = { ...filters[status], ...(role === 'all' ? {} : { role }), q };
  const pages = usePages(
    'GET /api/profiles/',
    { query: { ...filter, include: ['suspension', 'usage', 'tier'], order: 'newest', include_total: true } },
    { keepPrevious: true },
  );
  useRefreshOfPending(status === 'pending' && q === '' && role === 'all', pages);
  const select = (keys: ReadonlySet<string>): void => {
    const knownPeople = new Map([...selectedPeople, ...pages.rows.map((row) => [row.id, row] as const)]);
    setSelectedPeople(new Map([...keys].flatMap((key) => [[key, knownPeople.get(key)] as const]).filter(hasPerson)));
  };
  const canSelect = status === 'pending' || status === 'approved';
  return (
    <Page title={text.title} actions={pages.total === null ? null : <span>{text.count(pages.total)}</span>}>
      <Toolbar>
        <SearchField label={text.filter} value={q} change={(value) => changeFilters({ q: value })} />
        <StatusFilter status={status} change={(value) => changeFilters({ status: value })} />
        <NativeSelect
          aria-label={text.role}
          value={role}
          onChange={({ currentTarget }) => changeFilters({ role: currentTarget.value })}
          data={Object.entries(text.roles).map(([value, label]) => ({ value, label }))}
        />
      </Toolbar>
      {canSelect ? (
        <BulkActions
          key={status}
          status={status}
          people={[...selectedPeople.values()]}
          isEmpty={pages.rows.length === 0}
          clear={() => setSelectedPeople(new Map())}
        />
      ) : null}
      <DataTable
        label={text.title}
        columns={status === 'pending' ? pendingColumns : allColumns}
        pages={pages}
        keyOf={({ id }) => id}
        empty={status === 'pending' && !q ? text.nonePending : text.noMatches}
        {...(canSelect
          ? {
              selection: {
                keys: new Set(selectedPeople.keys()),
                change: select,
                nameOf: ({ full_name: name }: Person) => name,
              },
            }
          : {})}
      />
    </Page>
  );
};

interface PeopleList {
  readonly total: number | null;
  readonly refetch: () => Promise<unknown>;
}

/**
 * Refreshes an open list of pending people if its total differs from the count in the menu, which is updated every
 * minute.
 */
const useRefreshOfPending = (isPendingList: boolean, { total, refetch }: PeopleList): void => {
  const pendingCount = useTotal('GET /api/profiles/', { query: filters.pending });
  useEffect(() => {
    if (isPendingList && pendingCount !== null && total !== null && pendingCount !== total) void refetch();
    // Runs only after a new count: the list itself may have been loaded before or after it.
  }, [pendingCount]);
};

/** Returns the chosen status. Default: pending, or all while searching. */
const statusOf = (status: string, q: string): Status => {
  if (status in filters) return status as Status;
  return q === '' ? 'pending' : 'all';
};

const hasPerson = (entry: readonly [string, Person | undefined]): entry is readonly [string, Person] =>
  entry[1] !== undefined;

const StatusFilter = ({ status, change }: { readonly status: Status; readonly change: (status: string) => void }) => {
  const counts: Record<Status, number | null> = {
    pending: useTotal('GET /api/profiles/', { query: filters.pending }),
    approved: useTotal('GET /api/profiles/', { query: filters.approved }),
    suspended: useTotal('GET /api/profiles/', { query: filters.suspended }),
    rejected: useTotal('GET /api/profiles/', { query: filters.rejected }),
    all: null,
  };
  const options = Object.keys(filters).map((value) => ({
    value,
    label: text.withCount(text.statuses[value as Status], counts[value as Status]),
  }));
  // Five labels in a row are too wide for a phone; a select is not.
  return (
    <>
      <SegmentedControl
        className={styles.wide ?? ''}
        aria-label={text.status}
        value={status}
        onChange={change}
        data={options}
      />
      <NativeSelect
        className={styles.narrow ?? ''}
        aria-label={text.status}
        value={status}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        data={options}
      />
    </>
  );
};

const identityColumns: readonly Column<Person>[] = [
  {
    header: text.name,
    cell: ({ email, full_name: name }) => (
      <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
        {name}
      </Anchor>
    ),
  },
  { header: text.email, cell: ({ email }) => email },
  { header: text.company, cell: ({ company_name: company }) => company ?? '' },
];
const registeredColumn: Column<Person> = {
  header: text.registered,
  cell: ({ created_at: at }) => <Moment at={at} />,
};
/** Pending people have no usage and no tier yet. */
const pendingColumns = [...identityColumns, registeredColumn];
const allColumns: readonly Column<Person>[] = [
  ...identityColumns,
  { header: text.state, cell: (person) => <PersonState person={person} /> },
  { header: text.tier, cell: ({ tier }) => tier ?? '' },
  registeredColumn,
  { header: text.lastUsed, cell: ({ last_used_at: at }) => <Moment at={at} /> },
];
