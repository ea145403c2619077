import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { usePages, useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { End } from '../../parts/end.tsx';
import { words } from '../../words/words.ts';

const text = words.apis.admin;

type Right = Answered<'GET /api/access/matrix'>[number];

const Person = ({ email, name }: { readonly email: string; readonly name: string }) => (
  <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
    {name}
  </Anchor>
);

const rightColumns: readonly Column<Right>[] = [
  { header: text.person, cell: ({ email, full_name: name }) => <Person email={email} name={name} /> },
  { header: text.email, cell: ({ email }) => email },
  { header: text.company, cell: ({ company_name: company }) => company ?? '' },
  { header: text.by, cell: ({ group_name: group }) => (group === null ? text.direct : text.byGroup(group)) },
  { header: text.until, cell: ({ expires_at: at }) => <End at={at} /> },
];

/** Who may use an API; somebody with several rights has a line for each. */
export const Rights = ({ id }: { readonly id: string }) => (
  <>
    <p>
      <Anchor component={Link} to={`/access?api=${encodeURIComponent(id)}`}>
        {text.matrix}
      </Anchor>
    </p>
    <DataTable
      label={text.rights}
      columns={rightColumns}
      pages={usePages('GET /api/access/matrix', { query: { collection: id } })}
      keyOf={({ client_id: client, group_id: group }) => `${client} ${group ?? ''}`}
      empty={text.nobodyMay}
    />
  </>
);

type Use = Answered<'GET /api/usage'>[number];

const useColumns: readonly Column<Use>[] = [
  { header: text.email, cell: ({ profile_email: email = '' }) => <Person email={email} name={email} /> },
  { header: text.reads, cell: ({ reads }) => words.formats.number(reads) },
  { header: text.slices, cell: ({ slices }) => words.formats.number(slices) },
  { header: text.searches, cell: ({ searches }) => words.formats.number(searches) },
  { header: text.credentialReads, cell: ({ credential_reads: reads }) => words.formats.number(reads) },
];

/** Who used an API: the service answers for 30 days unless it is told otherwise. */
export const Uses = ({ id }: { readonly id: string }) => (
  <DataTable
    label={text.uses}
    columns={useColumns}
    pages={allAtOnce(useRead('GET /api/usage', { query: { by: 'profile', collection_id: id } }))}
    keyOf={({ profile_email: email = '' }) => email}
    empty={text.nobodyDid}
  />
);
