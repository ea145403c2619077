import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';

const text = words.access.matrix;

export type MatrixRow = CallResult<'GET /api/access/matrix'>[number];

/** Returns a key that identifies a grant: a person may have access to an API in several ways. */
export const rowKeyOf = ({ client_id: person, collection_id: api, group_id: group }: MatrixRow): string =>
  `${person} ${api} ${group ?? ''}`;

export const matrixColumns: readonly Column<MatrixRow>[] = [
  { header: text.person, cell: (row) => <Person row={row} /> },
  {
    header: text.api,
    cell: ({ collection_id: id, collection_name: name }) => (
      <Anchor component={Link} to={`/apis/${id}`}>
        {name}
      </Anchor>
    ),
  },
  { header: text.source, cell: (row) => <Source row={row} /> },
  { header: text.until, cell: ({ expires_at: at }) => <Expiry at={at} /> },
];

const Person = ({
  row: { email, full_name: name, suspended_at: suspendedAt, registration_status: status },
}: {
  readonly row: MatrixRow;
}) => (
  <>
    <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
      {name}
    </Anchor>{' '}
    {suspendedAt ? <StatusBadge kind="bad">{text.suspended}</StatusBadge> : null}
    {status === 'approved' ? null : <StatusBadge kind="quiet">{text.inactive[status]}</StatusBadge>}
    <div className={styles.mail}>{email}</div>
  </>
);

const Source = ({ row: { via, group_name: group } }: { readonly row: MatrixRow }) =>
  via === 'direct' || group === null ? (
    <span>{text.direct}</span>
  ) : (
    <span>
      {text.byGroup}{' '}
      <Anchor component={Link} to={`/access/groups/${encodeURIComponent(group)}`}>
        {group}
      </Anchor>
    </span>
  );
