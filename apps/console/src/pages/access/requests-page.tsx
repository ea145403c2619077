import { Anchor, Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { usePages } from '../../api/use-call.ts';
import { DataTable, useSelectedKeys, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import type { AccessRequest } from './access-request.ts';
import { DecideDialog, RequestDialog } from './decide-dialog.tsx';
import { nameOf, StateBadge } from './request-details.tsx';
import { AccessLayout } from './access-layout.tsx';

const text = words.access.requests;

type Status = keyof typeof text.statuses;

/** The access requests, pending ones first. `?request=` opens one of them. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const status = (search.get('status') ?? 'pending') as Status;
  const openedId = search.get('request');
  const isPending = status === 'pending';
  const pages = usePages(
    'GET /api/access/requests',
    { query: status === 'all' ? {} : { status } },
    { keepPrevious: true },
  );
  const [keys, setKeys] = useSelectedKeys();
  const [isDeciding, setIsDeciding] = useState(false);
  const selectedRequests = pages.rows.filter(({ id, status: rowStatus }) => keys.has(id) && rowStatus === 'pending');
  const show = (request: string | null): void =>
    setSearch({ ...(isPending ? {} : { status }), ...(request ? { request } : {}) }, { replace: true });
  return (
    <AccessLayout title={text.title}>
      <div className={styles.actions}>
        <NativeSelect
          aria-label={text.status}
          value={status}
          data={Object.entries(text.statuses).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => {
            setKeys(new Set());
            setSearch({ status: currentTarget.value }, { replace: true });
          }}
        />
        {isPending ? (
          <Button disabled={selectedRequests.length === 0} onClick={() => setIsDeciding(true)}>
            {selectedRequests.length === 0 ? text.openMany : text.manyTitle(selectedRequests.length)}
          </Button>
        ) : null}
      </div>
      <DataTable
        label={text.title}
        columns={
          isPending ? [...columns, createActionColumn(show)] : [...columns, ...decidedColumns, createActionColumn(show)]
        }
        pages={pages}
        keyOf={({ id }) => id}
        empty={isPending ? text.nonePending : text.none}
        {...(isPending ? { selection: { keys, change: setKeys, nameOf } } : {})}
      />
      {isDeciding ? <DecideDialog requests={selectedRequests} close={() => setIsDeciding(false)} /> : null}
      {openedId ? <RequestDialog key={openedId} id={openedId} close={() => show(null)} /> : null}
    </AccessLayout>
  );
};

const columns: readonly Column<AccessRequest>[] = [
  {
    header: text.who,
    cell: ({ profile_email: email, profile_name: name }) => (
      <>
        <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
          {name}
        </Anchor>
        <div className={styles.mail}>{email}</div>
      </>
    ),
  },
  { header: text.api, cell: ({ collection_name: name }) => name ?? text.hiddenApi },
  { header: text.why, cell: ({ reason }) => reason },
  { header: text.duration, cell: ({ duration_days: days }) => (days === null ? text.noExpiry : text.days(days)) },
  { header: text.requested, cell: ({ created_at: at }) => <Moment at={at} /> },
];

const decidedColumns: readonly Column<AccessRequest>[] = [
  { header: text.state, cell: ({ status }) => <StateBadge status={status} /> },
  { header: text.decided, cell: ({ decided_at: at }) => <Moment at={at} none="" /> },
];

const createActionColumn = (show: (request: string) => void): Column<AccessRequest> => ({
  header: words.frame.actions,
  headerHidden: true,
  cell: (request) => {
    const isPending = request.status === 'pending';
    const label = isPending ? text.openLabel : text.detailsLabel;
    return (
      <Button
        variant="default"
        size="xs"
        aria-label={label(request.profile_name, request.collection_name ?? text.hiddenApi)}
        onClick={() => show(request.id)}
      >
        {isPending ? text.open : text.details}
      </Button>
    );
  },
});
