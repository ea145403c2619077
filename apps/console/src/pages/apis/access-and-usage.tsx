import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages, useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { words } from '../../words/words.ts';
import { countOf, type CountName, type UsageLine } from '../usage/counts.ts';

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

const formatCount = (line: UsageLine, name: CountName): string => words.formats.number(countOf(line, name));
const usageColumns: readonly Column<UsageLine>[] = [
  { header: text.email, cell: ({ profile_email: email = '' }) => <Person email={email} name={email} /> },
  { header: text.reads, cell: (line) => formatCount(line, 'reads') },
  { header: text.operationReads, cell: (line) => formatCount(line, 'slices') },
  { header: text.calls, cell: (line) => formatCount(line, 'calls') },
  { header: text.searches, cell: (line) => formatCount(line, 'searches') },
  { header: text.credentialReads, cell: (line) => formatCount(line, 'credential_reads') },
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
