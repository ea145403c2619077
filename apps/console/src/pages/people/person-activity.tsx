import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import type { WholePerson } from './whole-person.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const shownMax = 20;

type Entry = Answered<'GET /api/audit/'>['data'][number];

const columns: readonly Column<Entry>[] = [
  { header: text.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
  { header: text.what, cell: ({ message }) => sayOf(message['action']) },
  { header: text.about, cell: ({ message }) => aboutOf(message) },
];

/** What somebody did lately, by the audit log. */
export const PersonActivity = ({ person }: { readonly person: WholePerson }) => {
  const read = useRead('GET /api/audit/', {
    query: { actor_id: person.id, source: 'all', pageSize: shownMax },
  });
  const all = new URLSearchParams({ actor: person.email, source: 'all' });
  return (
    <Section
      title={text.did}
      actions={
        <Anchor component={Link} to={`/audit?${all.toString()}`}>
          {text.inAudit}
        </Anchor>
      }
    >
      <DataTable
        label={text.did}
        columns={columns}
        pages={allAtOnce({ ...read, data: read.data?.data })}
        keyOf={({ id }) => id}
        empty={text.didNothing}
      />
    </Section>
  );
};

const sayOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whom or what an entry names; entries of callers name endpoints. */
const aboutOf = (message: Readonly<Record<string, unknown>>): string =>
  ['profile', 'group', 'collection', 'tier', 'name', 'method', 'endpoint']
    .map((key) => sayOf(message[key]))
    .filter((said) => said !== '')
    .join(', ');
