import { Anchor, Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { DataTable, useSelectedKeys, type Column } from '../../parts/data-table.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';

const text = words.people;

type Person = Answered<'GET /api/profiles/'>[number];
type Status = keyof typeof text.statuses;

/** Everybody who registered; those who wait for a decision first. */
export const Component = () => {
  const [search, setSearch] = useSearchParams({ status: 'pending' });
  const status = search.get('status') as Status;
  const q = search.get('q') ?? '';
  const choose = (next: Record<string, string>): void => setSearch({ status, q, ...next }, { replace: true });
  const pages = usePages(
    'GET /api/profiles/',
    {
      query: {
        q,
        ...(status === 'all' ? {} : { registration_status: status }),
        include: ['suspension', 'usage'],
        order: 'newest',
        include_total: true,
      },
    },
    { keep: true },
  );
  const [keys, setKeys] = useSelectedKeys();
  return (
    <Page title={text.title} actions={pages.total === null ? null : <span>{text.count(pages.total)}</span>}>
      <Toolbar>
        <SearchField label={text.filter} value={q} change={(value) => choose({ q: value })} />
        <SegmentedControl
          aria-label={text.status}
          value={status}
          onChange={(value) => choose({ status: value })}
          data={Object.entries(text.statuses).map(([value, label]) => ({ value, label }))}
        />
        {status === 'pending' ? (
          <ApproveMany people={pages.rows.filter(({ id }) => keys.has(id))} done={() => setKeys(new Set())} />
        ) : null}
      </Toolbar>
      <DataTable
        label={text.title}
        columns={columns}
        pages={pages}
        keyOf={({ id }) => id}
        empty={status === 'pending' && !q ? text.nobodyWaits : text.nobody}
        {...(status === 'pending'
          ? { selection: { keys, change: setKeys, nameOf: ({ full_name: name }: Person) => name } }
          : {})}
      />
    </Page>
  );
};

const columns: readonly Column<Person>[] = [
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
  { header: text.state, cell: (person) => <PersonState person={person} /> },
  { header: text.registered, cell: ({ created_at: at }) => <Moment at={at} /> },
  { header: text.lastUsed, cell: ({ last_used_at: at }) => <Moment at={at} /> },
];

const PersonState = ({
  person: { registration_status: status, role, suspended_at: suspended },
}: {
  person: Person;
}) => {
  if (suspended) return <StatusBadge kind="bad">{text.states.suspended}</StatusBadge>;
  if (role === 'admin') return <StatusBadge kind="special">{text.states.admin}</StatusBadge>;
  const kind = { pending: 'waiting', approved: 'good', rejected: 'quiet' } as const;
  return <StatusBadge kind={kind[status]}>{text.states[status]}</StatusBadge>;
};

/** One act for all that are chosen; each succeeds or fails in its own right. */
const ApproveMany = ({ people, done }: { readonly people: readonly Person[]; readonly done: () => void }) => {
  const approve = useChange('POST /api/profiles/approve', { touches: ['GET /api/profiles/'] });
  const [refused, setRefused] = useState<readonly string[]>([]);
  const act = (): void =>
    approve.mutate(
      { body: { profiles: people.map(({ email }) => email) } },
      {
        onSuccess: (answered) => {
          const failed = answered.outcomes.filter(({ outcome }) => outcome !== 'approved');
          setRefused(failed.map(({ email, outcome }) => text.notApproved(email, outcome)));
          notify(text.approved(answered.outcomes.length - failed.length));
          done();
        },
      },
    );
  return (
    <>
      <Button disabled={people.length === 0} loading={approve.isPending} onClick={act}>
        {people.length === 0 ? text.approve : text.approveMany(people.length)}
      </Button>
      <ErrorNote error={approve.error} />
      {refused.length > 0 ? <p role="alert">{refused.join('; ')}</p> : null}
    </>
  );
};
