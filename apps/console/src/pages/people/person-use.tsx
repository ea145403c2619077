import type { Answered } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { words } from '../../words/words.ts';
import type { WholePerson } from './whole-person.ts';
import { Section } from './section.tsx';

const text = words.people.person;

type Line = Answered<'GET /api/usage'>[number];

const count = (value: number): string => words.formats.number(value);
const columns: readonly Column<Line>[] = [
  { header: text.api, cell: ({ collection_name: name }) => name ?? text.noSingleApi },
  { header: text.reads, cell: ({ reads }) => count(reads) },
  { header: text.slices, cell: ({ slices }) => count(slices) },
  { header: text.searches, cell: ({ searches }) => count(searches) },
  { header: text.credentialReads, cell: ({ credential_reads: reads }) => count(reads) },
];

/** What somebody used in the last 30 days, which is what the service counts unless it is asked for others. */
export const PersonUse = ({ person }: { readonly person: WholePerson }) => {
  const read = useRead('GET /api/usage', { query: { by: 'collection', profile_id: person.id } });
  return (
    <Section title={text.use}>
      <DataTable
        label={text.use}
        columns={columns}
        pages={allAtOnce(read)}
        keyOf={({ collection_id: id }) => id ?? ''}
        empty={text.usedNothing}
      />
    </Section>
  );
};
