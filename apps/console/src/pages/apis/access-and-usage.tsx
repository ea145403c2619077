import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages, useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { words } from '../../words/words.ts';

const text = words.apis.admin;

type Grant = CallResult<'GET /api/access/matrix'>[number];

const Person = ({ email, name }: { readonly email: string; readonly name: string }) => (
  <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
    {name}
  </Anchor>
);

const grantColumns: readonly Column<Grant>[] = [
  { header: text.person, cell: ({ email, full_name: name }) => <Person email={email} name={name} /> },
  { header: text.email, cell: ({ email }) => email },
  { header: text.company, cell: ({ company_name: company }) => company ?? '' },
  { header: text.source, cell: ({ group_name: group }) => (group === null ? text.direct : text.byGroup(group)) },
  { header: text.until, cell: ({ expires_at: at }) => <Expiry at={at} /> },
];

/** Lists who has access to an API. A person with several grants has a row for each grant. */
export const AccessTable = ({ id }: { readonly id: string }) => (
  <>
    <p>
      <Anchor component={Link} to={`/access?api=${encodeURIComponent(id)}`}>
        {text.matrix}
      </Anchor>
    </p>
    <DataTable
      label={text.access}
      columns={grantColumns}
      pages={usePages('GET /api/access/matrix', { query: { collection: id } })}
      keyOf={({ client_id: client, group_id: group }) => `${client} ${group ?? ''}`}
      empty={text.noAccess}
    />
  </>
);

type Usage = CallResult<'GET /api/usage'>[number];

const usageColumns: readonly Column<Usage>[] = [
  { header: text.email, cell: ({ profile_email: email = '' }) => <Person email={email} name={email} /> },
  { header: text.reads, cell: ({ reads }) => words.formats.number(reads) },
  { header: text.operationReads, cell: ({ slices }) => words.formats.number(slices) },
  { header: text.searches, cell: ({ searches }) => words.formats.number(searches) },
  { header: text.credentialReads, cell: ({ credential_reads: reads }) => words.formats.number(reads) },
];

/** Lists who used an API in the last 30 days, which is the service's default period. */
export const UsageTable = ({ id }: { readonly id: string }) => (
  <DataTable
    label={text.usage}
    columns={usageColumns}
    pages={toSinglePage(useRead('GET /api/usage', { query: { by: 'profile', collection_id: id } }))}
    keyOf={({ profile_email: email = '' }) => email}
    empty={text.noUsage}
  />
);
