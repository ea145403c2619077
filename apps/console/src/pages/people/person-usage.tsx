import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import { countOf, type CountName, type UsageLine } from '../usage/counts.ts';
import type { PersonDetails } from './person-details.ts';
import { Section } from './section.tsx';

const text = words.people.person;

const formatCount = (line: UsageLine, name: CountName): string => words.formats.number(countOf(line, name));
const columns: readonly Column<UsageLine>[] = [
  { header: text.api, cell: ({ collection_name: name }) => name ?? text.noSingleApi },
  { header: text.reads, cell: (line) => formatCount(line, 'reads') },
  { header: text.operationReads, cell: (line) => formatCount(line, 'slices') },
  { header: text.calls, cell: (line) => formatCount(line, 'calls') },
  { header: text.searches, cell: (line) => formatCount(line, 'searches') },
  { header: text.credentialReads, cell: (line) => formatCount(line, 'credential_reads') },
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
