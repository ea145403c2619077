import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const shownMax = 20;

type Entry = CallResult<'GET /api/audit/'>['data'][number];

const columns: readonly Column<Entry>[] = [
  { header: text.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
  { header: text.action, cell: ({ message }) => stringOf(message['action']) },
  { header: text.about, cell: ({ message }) => subjectsOf(message) },
];

/** The recent activity of a person, from the audit log. */
export const PersonActivity = ({ person }: { readonly person: PersonDetails }) => {
  const read = useRead('GET /api/audit/', {
    query: { actor_id: person.id, source: 'all', pageSize: shownMax },
  });
  const auditQuery = new URLSearchParams({ actor: person.email, source: 'all' });
  return (
    <Section
      title={text.activity}
      actions={
        <Anchor component={Link} to={`/audit?${auditQuery.toString()}`}>
          {text.inAudit}
        </Anchor>
      }
    >
      <DataTable
        label={text.activity}
        columns={columns}
        pages={toSinglePage({ ...read, data: read.data?.data })}
        keyOf={({ id }) => id}
        empty={text.noActivity}
      />
    </Section>
  );
};

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the subjects of an entry; callers' entries have endpoints. */
const subjectsOf = (message: Readonly<Record<string, unknown>>): string =>
  ['profile', 'group', 'collection', 'tier', 'name', 'method', 'endpoint']
    .map((key) => stringOf(message[key]))
    .filter((value) => value !== '')
    .join(', ');
