import { Anchor, Button, NativeSelect } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { AccessLayout } from './access-layout.tsx';
import { CallDialog, CallStateBadge } from './call-dialog.tsx';
import { apiOf, operationOf, type PendingCall } from './pending-call.ts';

const text = words.access.calls;

type Status = keyof typeof text.statuses;

/** The calls that need a decision, waiting ones first. `?call=` opens one of them. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const status = (search.get('status') ?? 'waiting') as Status;
  const openedId = search.get('call');
  const isWaiting = status === 'waiting';
  const pages = usePages('GET /api/calls', { query: status === 'all' ? {} : { status } }, { keepPrevious: true });
  const show = (call: string | null): void =>
    setSearch({ ...(isWaiting ? {} : { status }), ...(call ? { call } : {}) }, { replace: true });
  return (
    <AccessLayout title={text.title}>
      <div className={styles.actions}>
        <NativeSelect
          aria-label={text.status}
          value={status}
          data={Object.entries(text.statuses).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => setSearch({ status: currentTarget.value }, { replace: true })}
        />
      </div>
      <DataTable
        label={text.title}
        columns={[...columns, ...(isWaiting ? [expiryColumn] : decidedColumns), createActionColumn(show)]}
        pages={pages}
        keyOf={({ call_id: id }) => id}
        empty={isWaiting ? text.noneWaiting : text.none}
      />
      {openedId ? <CallDialog key={openedId} id={openedId} close={() => show(null)} /> : null}
    </AccessLayout>
  );
};

const columns: readonly Column<PendingCall>[] = [
  {
    header: text.who,
    cell: ({ email }) => (
      <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
        {email}
      </Anchor>
    ),
  },
  { header: text.api, cell: apiOf },
  { header: text.operation, cell: (call) => <code>{operationOf(call)}</code> },
  { header: text.requested, cell: ({ requested_at: at }) => <Moment at={at} /> },
];

const expiryColumn: Column<PendingCall> = {
  header: text.expires,
  cell: ({ expires_at: at }) => <Moment at={at} />,
};

const decidedColumns: readonly Column<PendingCall>[] = [
  { header: text.state, cell: ({ state }) => <CallStateBadge state={state} /> },
  { header: text.decided, cell: ({ decided_at: at }) => <Moment at={at} none="" /> },
];

const createActionColumn = (show: (call: string) => void): Column<PendingCall> => ({
  header: words.frame.actions,
  headerHidden: true,
  cell: (call) => {
    const isWaiting = call.state === 'waiting';
    const label = isWaiting ? text.openLabel : text.detailsLabel;
    return (
      <Button
        variant="default"
        size="xs"
        aria-label={label(call.email, operationOf(call))}
        onClick={() => show(call.call_id)}
      >
        {isWaiting ? text.open : text.details}
      </Button>
    );
  },
});
