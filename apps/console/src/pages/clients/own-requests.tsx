import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';

const text = words.clients.accessRequests;

type AccessRequest = CallResult<'GET /api/access/requests'>[number];

/** The user's own access requests with their decisions, newest first. */
export const OwnRequests = () => {
  const pages = usePages('GET /api/access/requests', {});
  const [requestToWithdraw, setRequestToWithdraw] = useState<AccessRequest | null>(null);
  return (
    <>
      <DataTable
        label={text.views.requests}
        columns={columnsOf(setRequestToWithdraw)}
        pages={pages}
        keyOf={({ id }) => id}
        empty={text.noRequests}
      />
      {requestToWithdraw ? (
        <WithdrawDialog request={requestToWithdraw} close={() => setRequestToWithdraw(null)} />
      ) : null}
    </>
  );
};

const kinds = {
  pending: 'waiting',
  approved: 'good',
  denied: 'bad',
  withdrawn: 'quiet',
  granted: 'good',
} as const;

const nameOf = ({ collection_name: name }: AccessRequest): string => name ?? text.hiddenApi;

const columnsOf = (withdraw: (request: AccessRequest) => void): readonly Column<AccessRequest>[] => [
  {
    header: text.name,
    cell: (request) =>
      request.status === 'approved' || request.status === 'granted' ? (
        <Anchor component={Link} to={`/apis/${request.collection_id}`}>
          {nameOf(request)}
        </Anchor>
      ) : (
        nameOf(request)
      ),
  },
  {
    header: text.status,
    cell: ({ status }) => <StatusBadge kind={kinds[status]}>{text.statuses[status]}</StatusBadge>,
  },
  { header: text.yourReason, cell: ({ reason }) => reason },
  { header: text.requestedFor, cell: ({ duration_days: days }) => (days === null ? text.noExpiry : text.days(days)) },
  { header: text.requested, cell: ({ created_at: at }) => <Moment at={at} /> },
  { header: text.decided, cell: ({ decided_at: at }) => <Moment at={at} none={text.notYet} /> },
  { header: text.answer, cell: ({ answer }) => answer ?? '' },
  {
    header: text.actions,
    headerHidden: true,
    cell: (request) =>
      request.status === 'pending' ? (
        <Button
          variant="default"
          size="xs"
          aria-label={text.withdrawOf(nameOf(request))}
          onClick={() => withdraw(request)}
        >
          {text.withdraw}
        </Button>
      ) : null,
  },
];

const WithdrawDialog = ({ request, close }: { readonly request: AccessRequest; readonly close: () => void }) => {
  const withdraw = useChange('DELETE /api/access/requests/:request_id', {
    invalidates: ['GET /api/catalog', 'GET /api/access/requests'],
  });
  const submit = (): void =>
    withdraw.mutate(
      { params: { request_id: request.id } },
      {
        onSuccess: () => {
          notify(text.withdrawn);
          close();
        },
      },
    );
  return (
    <Dialog
      title={text.withdrawOf(nameOf(request))}
      open
      close={close}
      submit={submit}
      submitLabel={text.withdraw}
      busy={withdraw.isPending}
      error={withdraw.error}
    >
      <p>{text.withdrawConfirm(nameOf(request))}</p>
    </Dialog>
  );
};
