import { Anchor, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { usePages, useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';

const text = words.api.adminOf;

type View = 'rights' | 'uses';

/** What an administrator asks about an API: who may use it, and who did. Each is read when it is opened. */
export const AdminOfApi = ({ id }: { readonly id: string }) => {
  const [view, setView] = useState<View | null>(null);
  const button = (one: View, label: string) => (
    <Button variant="default" size="xs" aria-expanded={view === one} onClick={() => setView(view === one ? null : one)}>
      {label}
    </Button>
  );
  return (
    <>
      <Group gap="xs">
        {button('rights', text.rights)}
        {button('uses', text.uses)}
      </Group>
      {view === 'rights' ? <Rights id={id} /> : null}
      {view === 'uses' ? <Uses id={id} /> : null}
    </>
  );
};

type Right = Answered<'GET /api/access/matrix'>[number];

const Person = ({ email, name }: { readonly email: string; readonly name: string }) => (
  <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
    {name}
  </Anchor>
);

const rightColumns: readonly Column<Right>[] = [
  { header: text.name, cell: ({ email, full_name: name }) => <Person email={email} name={name} /> },
  { header: text.email, cell: ({ email }) => email },
  { header: text.company, cell: ({ company_name: company }) => company ?? '' },
  { header: text.by, cell: ({ group_name: group }) => (group ? text.byGroup(group) : text.directly) },
  { header: text.until, cell: ({ expires_at: end }) => <Moment at={end} none={text.noEnd} /> },
];

const Rights = ({ id }: { readonly id: string }) => (
  <DataTable
    label={text.rights}
    columns={rightColumns}
    pages={usePages('GET /api/access/matrix', { query: { collection: id } })}
    keyOf={({ client_id: client, group_id: group }) => `${client} ${group ?? ''}`}
    empty={text.nobodyMay}
  />
);

type Use = Answered<'GET /api/usage'>[number];

const useColumns: readonly Column<Use>[] = [
  { header: text.email, cell: ({ profile_email: email = '' }) => <Person email={email} name={email} /> },
  { header: text.reads, cell: ({ reads }) => reads.toLocaleString() },
  { header: text.slices, cell: ({ slices }) => slices.toLocaleString() },
  { header: text.credentials, cell: ({ credential_reads: reads }) => reads.toLocaleString() },
];

const Uses = ({ id }: { readonly id: string }) => {
  const days = useRead('GET /api/usage', { query: { collection_id: id, by: 'day' } });
  const lastDay = days.data?.at(-1)?.day ?? null;
  return (
    <>
      {days.data ? <p>{lastDay === null ? text.notUsed : text.lastUsed(lastDay)}</p> : null}
      <DataTable
        label={text.uses}
        columns={useColumns}
        pages={allAtOnce(useRead('GET /api/usage', { query: { collection_id: id, by: 'profile' } }))}
        keyOf={({ profile_email: email = '' }) => email}
        empty={text.nobodyDid}
      />
    </>
  );
};
