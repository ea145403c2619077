import { SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { CallResult } from '../../api/call.ts';
import { formatMember } from '../../api/format-member.ts';
import { useChange, useReadWithText } from '../../api/use-call.ts';
import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { apiOf, operationOf, type PendingCall } from './pending-call.ts';

const text = words.access.calls;
const reasonMax = 1_000;
const callReads = ['GET /api/calls', 'GET /api/calls/:call_id'] as const;
const kinds = { waiting: 'waiting', approved: 'good', denied: 'bad', expired: 'quiet', done: 'good' } as const;

/** A call, with its arguments exactly as they will be sent; null if they are not visible. */
type ShownCall = Omit<CallResult<'GET /api/calls/:call_id'>, 'arguments'> & { readonly argumentsText: string | null };

export const CallStateBadge = ({ state }: Pick<PendingCall, 'state'>) => (
  <StatusBadge kind={kinds[state]}>{text.states[state]}</StatusBadge>
);

/** Shows one call: the form to decide it while it waits, or else its details. */
export const CallDialog = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
  const read = useReadWithText('GET /api/calls/:call_id', { params: { call_id: id } });
  // The call is kept as it was first shown: a refresh must not change it before the approval.
  const [call, setCall] = useState<ShownCall | null>(null);
  if (!call && read.data && !read.isFetching) setCall(toShownCall(read.data));
  if (call?.state === 'waiting') return <DecideDialog call={call} close={close} />;
  return (
    <Dialog title={text.callTitle} open close={close}>
      {call ? <CallDetails call={call} /> : null}
      {!call && read.isFetching ? <Loading /> : null}
      <ErrorNote error={read.error} retry={read.refetch} />
    </Dialog>
  );
};

const toShownCall = ({
  body: { arguments: values, ...call },
  text: bodyText,
}: {
  readonly body: CallResult<'GET /api/calls/:call_id'>;
  readonly text: string;
}): ShownCall => ({ ...call, argumentsText: values === null ? null : formatMember(bodyText, 'arguments') });

const DecideDialog = ({ call, close }: { readonly call: ShownCall; readonly close: () => void }) => {
  const [decision, setDecision] = useState<'approve' | 'deny'>('approve');
  const [reason, setReason] = useState('');
  const approve = useChange('POST /api/calls/:call_id/approve', { invalidates: callReads });
  const deny = useChange('POST /api/calls/:call_id/deny', { invalidates: callReads });
  const params = { call_id: call.call_id };
  const finishWith = (message: string) => ({
    onSuccess: () => {
      notify(message);
      close();
    },
  });
  const submit = (): void => {
    if (decision === 'approve') approve.mutate({ params }, finishWith(text.approved));
    else deny.mutate({ params, body: { reason: reason.trim() || null } }, finishWith(text.denied));
  };
  return (
    <Dialog
      title={text.callTitle}
      open
      close={close}
      submit={submit}
      submitLabel={text[decision]}
      destructive={decision === 'deny'}
      busy={approve.isPending || deny.isPending}
      error={decision === 'approve' ? approve.error : deny.error}
    >
      <CallDetails call={call} />
      <SegmentedControl
        aria-label={text.decision}
        value={decision}
        onChange={setDecision}
        data={[
          { value: 'approve', label: text.approve },
          { value: 'deny', label: text.deny },
        ]}
        mb="sm"
      />
      {decision === 'approve' ? (
        <p>{text.approveHint}</p>
      ) : (
        <Textarea
          label={text.reason}
          description={text.reasonHint}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          maxLength={reasonMax}
          autosize
          minRows={2}
        />
      )}
    </Dialog>
  );
};

const CallDetails = ({ call }: { readonly call: ShownCall }) => (
  <dl className={styles.properties}>
    <dt>{text.who}</dt>
    <dd>{call.email}</dd>
    <dt>{text.api}</dt>
    <dd>{apiOf(call)}</dd>
    <dt>{text.operation}</dt>
    <dd>
      <code>{operationOf(call)}</code>
    </dd>
    <dt>{text.arguments}</dt>
    <dd>
      {call.argumentsText === null ? (
        text.argumentsDeleted
      ) : (
        <CopyBlock text={call.argumentsText} label={text.arguments} />
      )}
    </dd>
    <dt>{text.requested}</dt>
    <dd>
      <Moment at={call.requested_at} />
    </dd>
    {call.state === 'waiting' || call.state === 'approved' ? (
      <>
        <dt>{text.expires}</dt>
        <dd>
          <Moment at={call.expires_at} />
        </dd>
      </>
    ) : null}
    {call.state === 'waiting' ? null : (
      <>
        <dt>{text.state}</dt>
        <dd>
          <CallStateBadge state={call.state} /> <Moment at={call.decided_at} none="" />
        </dd>
      </>
    )}
    {call.reason === null ? null : (
      <>
        <dt>{text.answer}</dt>
        <dd>{call.reason}</dd>
      </>
    )}
  </dl>
);
