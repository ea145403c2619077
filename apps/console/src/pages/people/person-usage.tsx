import type { CallResult } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { Section } from './section.tsx';

const text = words.people.person;

type UsageRow = CallResult<'GET /api/usage'>[number];

const formatCount = (value: number): string => words.formats.number(value);
const columns: readonly Column<UsageRow>[] = [
  { header: text.api, cell: ({ collection_name: name }) => name ?? text.noSingleApi },
  { header: text.reads, cell: ({ reads }) => formatCount(reads) },
  { header: text.operationReads, cell: ({ slices }) => formatCount(slices) },
  { header: text.searches, cell: ({ searches }) => formatCount(searches) },
  { header: text.credentialReads, cell: ({ credential_reads: reads }) => formatCount(reads) },
];

/** A person's usage in the last 30 days, which is the service's default period. */
export const PersonUsage = ({ person }: { readonly person: PersonDetails }) => {
  const read = useRead('GET /api/usage', { query: { by: 'collection', profile_id: person.id } });
  return (
    <Section title={text.usage}>
      <DataTable
        label={text.usage}
        columns={columns}
        pages={toSinglePage(read)}
        keyOf={({ collection_id: id }) => id ?? ''}
        empty={text.noUsage}
      />
    </Section>
  );
};
