import { SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, messageOf } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { AccessRequest } from './access-request.ts';
import { OutcomeNote } from './outcomes.tsx';
import { nameOf, RequestDetails } from './request-details.tsx';
import { expiresAtOf, isComplete, ExpiryField, useExpiry } from './expiry-field.tsx';
import { useSequence, type Failure } from './use-sequence.ts';

const text = words.access.requests;
const answerMax = 1_000;
const shownMax = 8;

/** Shows one request: the form to decide it while it is pending, or else its details with the decision. */
export const RequestDialog = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
  const read = useRead('GET /api/access/requests/:request_id', { params: { request_id: id } });
  // The request is kept as it was first shown, so that the dialog can report the outcome.
  const [request, setRequest] = useState<AccessRequest | null>(null);
  if (!request && read.data && !read.isFetching) setRequest(read.data);
  if (request?.status === 'pending') return <DecideDialog requests={[request]} close={close} />;
  return (
    <Dialog title={text.requestTitle} open close={close}>
      {request ? <RequestDetails request={request} /> : null}
      {!request && read.isFetching ? <Loading /> : null}
      <ErrorNote error={read.error} retry={read.refetch} />
    </Dialog>
  );
};

/** Decides one or more requests, one after another, each with a separate outcome. */
export const DecideDialog = ({
  requests: selectedRequests,
  close,
}: {
  readonly requests: readonly AccessRequest[];
  readonly close: () => void;
}) => {
  // A copy of the selection: decided requests leave the list while others are still pending.
  const [requests] = useState(selectedRequests);
  const [decision, setDecision] = useState<'approve' | 'deny'>('approve');
  const [expiry, setExpiry] = useExpiry('requested');
  const [reason, setReason] = useState('');
  const { state, run, isRunning } = useSequence((request: AccessRequest) =>
    decide(request, decision, expiresAtOf(expiry), reason),
  );
  const submit = async (): Promise<void> => {
    const failures = await run(requests);
    if (failures.length > 0) return;
    notify(formatDoneMessage(decision, requests.length));
    close();
  };
  const onlyRequest = requests.length === 1 ? requests[0] : undefined;
  const title = onlyRequest ? text.requestTitle : text.manyTitle(requests.length);
  if (state && !isRunning && state.failures.length > 0)
    return (
      <Dialog title={title} open close={close}>
        <OutcomeNote
          sentence={formatDoneMessage(decision, state.total - state.failures.length)}
          reasons={state.failures.map(reasonOf)}
        />
      </Dialog>
    );
  const manyLabel = decision === 'approve' ? text.approveMany(requests.length) : text.denyMany(requests.length);
  return (
    <Dialog
      title={title}
      open
      close={close}
      submit={submit}
      submitLabel={requests.length === 1 ? text[decision] : manyLabel}
      destructive={decision === 'deny'}
      busy={isRunning}
      disabled={decision === 'approve' && !isComplete(expiry)}
    >
      {onlyRequest ? <RequestDetails request={onlyRequest} /> : <RequestNames requests={requests} />}
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
        <ExpiryField
          value={expiry}
          change={setExpiry}
          requestedLabel={requestedLabelOf(requests)}
          requestedDays={onlyRequest?.duration_days ?? null}
        />
      ) : (
        <ReasonField value={reason} change={setReason} />
      )}
      {state && isRunning && state.total > 1 ? <p role="status">{text.progress(state.done, state.total)}</p> : null}
    </Dialog>
  );
};

const ReasonField = ({ value, change }: { readonly value: string; readonly change: (reason: string) => void }) => (
  <Textarea
    label={text.reason}
    description={text.reasonHint}
    value={value}
    onChange={({ currentTarget }) => change(currentTarget.value)}
    maxLength={answerMax}
    autosize
    minRows={2}
  />
);

const decide = (
  { id }: AccessRequest,
  decision: 'approve' | 'deny',
  expiresAt: string | null | undefined,
  reason: string,
): Promise<unknown> => {
  const params = { request_id: id };
  if (decision === 'deny')
    return call('POST /api/access/requests/:request_id/deny', { params, body: { reason: reason.trim() || null } });
  const body = expiresAt === undefined ? {} : { expires_at: expiresAt };
  return call('POST /api/access/requests/:request_id/approve', { params, body });
};

const formatDoneMessage = (decision: 'approve' | 'deny', count: number): string =>
  decision === 'approve' ? text.approved(count) : text.denied(count);

const reasonOf = ({ item, error }: Failure<AccessRequest>): string => {
  if (isProblem(error, 409)) return text.alreadyDecided(nameOf(item));
  if (isProblem(error, 404)) return text.noClient(nameOf(item));
  return text.failed(nameOf(item), messageOf(error));
};

const requestedLabelOf = (requests: readonly AccessRequest[]): string => {
  const [firstRequest] = requests;
  return firstRequest && requests.length === 1
    ? words.access.until.requested(firstRequest.duration_days)
    : words.access.until.requestedIndividually;
};

const RequestNames = ({ requests }: { readonly requests: readonly AccessRequest[] }) => (
  <ul>
    {requests.slice(0, shownMax).map((request) => (
      <li key={request.id}>{nameOf(request)}</li>
    ))}
    {requests.length > shownMax ? <li>{words.access.actions.moreRows(requests.length - shownMax)}</li> : null}
  </ul>
);
