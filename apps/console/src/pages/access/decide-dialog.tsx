import { SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, sentenceOf } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { AccessRequest } from './access-request.ts';
import { OutcomeNote } from './outcomes.tsx';
import { nameOf, RequestFacts } from './request-facts.tsx';
import { endOf, isWhole, UntilField, useUntil } from './until.tsx';
import { useSequence, type Refused } from './use-sequence.ts';

const text = words.access.requests;
const answerMax = 1_000;
const shownMax = 8;

/** One request, as it is now: to decide about, or with its decision. */
export const OneRequestDialog = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
  const read = useRead('GET /api/access/requests/:request_id', { params: { request_id: id } });
  // What is decided here stays as it was shown, so that the outcome can be told.
  const [shown, setShown] = useState<AccessRequest | null>(null);
  if (!shown && read.data && !read.isFetching) setShown(read.data);
  if (shown?.status === 'pending') return <DecideDialog requests={[shown]} close={close} />;
  return (
    <Dialog title={text.one} open close={close}>
      {shown ? <RequestFacts request={shown} /> : null}
      {!shown && read.isFetching ? <Loading /> : null}
      <ErrorNote error={read.error} retry={read.refetch} />
    </Dialog>
  );
};

/** Decides about one request or many: in sequence, each with its own outcome. */
export const DecideDialog = ({
  requests: chosen,
  close,
}: {
  readonly requests: readonly AccessRequest[];
  readonly close: () => void;
}) => {
  // As they were chosen: the decided ones leave the list while others still wait.
  const [requests] = useState(chosen);
  const [verdict, setVerdict] = useState<'approve' | 'deny'>('approve');
  const [until, setUntil] = useUntil('wished');
  const [reason, setReason] = useState('');
  const { state, run, isRunning } = useSequence((request: AccessRequest) =>
    decide(request, verdict, endOf(until), reason),
  );
  const act = async (): Promise<void> => {
    const refused = await run(requests);
    if (refused.length > 0) return;
    notify(told(verdict, requests.length));
    close();
  };
  const [one] = requests;
  const title = one && requests.length === 1 ? text.one : text.manyTitle(requests.length);
  if (state && !isRunning && state.refused.length > 0)
    return (
      <Dialog title={title} open close={close}>
        <OutcomeNote sentence={told(verdict, state.total - state.refused.length)} reasons={state.refused.map(whyNot)} />
      </Dialog>
    );
  const many = verdict === 'approve' ? text.approveMany(requests.length) : text.denyMany(requests.length);
  return (
    <Dialog
      title={title}
      open
      close={close}
      act={act}
      actLabel={requests.length === 1 ? text[verdict] : many}
      dangerous={verdict === 'deny'}
      busy={isRunning}
      disabled={verdict === 'approve' && !isWhole(until)}
    >
      {one && requests.length === 1 ? <RequestFacts request={one} /> : <RequestNames requests={requests} />}
      <SegmentedControl
        aria-label={text.verdict}
        value={verdict}
        onChange={setVerdict}
        data={[
          { value: 'approve', label: text.approve },
          { value: 'deny', label: text.deny },
        ]}
        mb="sm"
      />
      {verdict === 'approve' ? (
        <UntilField
          value={until}
          change={setUntil}
          wished={wishOf(requests)}
          wishedDays={requests.length === 1 ? (one?.duration_days ?? null) : null}
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
  verdict: 'approve' | 'deny',
  end: string | null | undefined,
  reason: string,
): Promise<unknown> => {
  const params = { request_id: id };
  if (verdict === 'deny')
    return call('POST /api/access/requests/:request_id/deny', { params, body: { reason: reason.trim() || null } });
  const body = end === undefined ? {} : { expires_at: end };
  return call('POST /api/access/requests/:request_id/approve', { params, body });
};

const told = (verdict: 'approve' | 'deny', count: number): string =>
  verdict === 'approve' ? text.approved(count) : text.denied(count);

const whyNot = ({ item, error }: Refused<AccessRequest>): string => {
  if (isProblem(error, 409)) return text.decidedBefore(nameOf(item));
  if (isProblem(error, 404)) return text.noClient(nameOf(item));
  return text.failed(nameOf(item), sentenceOf(error));
};

const wishOf = (requests: readonly AccessRequest[]): string => {
  const [one] = requests;
  return one && requests.length === 1 ? words.access.until.wished(one.duration_days) : words.access.until.wishedEach;
};

const RequestNames = ({ requests }: { readonly requests: readonly AccessRequest[] }) => (
  <ul>
    {requests.slice(0, shownMax).map((request) => (
      <li key={request.id}>{nameOf(request)}</li>
    ))}
    {requests.length > shownMax ? <li>{words.access.acts.furtherRows(requests.length - shownMax)}</li> : null}
  </ul>
);
