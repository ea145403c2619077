import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidateReads, useChange, type ReadName } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import type { IssuedKey } from './issued-key.tsx';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';

const text = words.people;
const reasonMax = 1_000;

/** The reads that contain the status of a person. */
export const statusReads: readonly ReadName[] = ['GET /api/profiles/:user_id', 'GET /api/profiles/'];

interface Props {
  readonly person: PersonDetails;
}

/** Approves or rejects a pending person, undoes a rejection, suspends an approved person, or reinstates them. */
export const StatusActions = ({ person, showKey }: Props & { readonly showKey: (key: IssuedKey) => void }) => {
  if (person.registration_status === 'pending')
    return (
      <>
        <ApproveButton person={person} showKey={showKey} />
        <ReasonButton person={person} kind="reject" />
      </>
    );
  if (person.suspended_at) return <UndoButton person={person} kind="resume" />;
  if (person.registration_status === 'rejected') return <UndoButton person={person} kind="reopen" />;
  return person.registration_status === 'approved' ? <ReasonButton person={person} kind="suspend" /> : null;
};

/** The response contains the secret, so it is not cached. */
const ApproveButton = ({ person, showKey }: Props & { readonly showKey: (key: IssuedKey) => void }) => {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const approve = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const credentials = await call('POST /api/profiles/:user_id/approve', { params: { user_id: person.id } });
      const { client_id: clientId, client_secret: secret } = credentials;
      showKey({ name: person.full_name, clientId, secret, note: text.secret.approvedNote });
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    await invalidateReads(queries, statusReads);
  };
  return (
    <>
      <Button loading={busy} onClick={() => void approve()}>
        {text.bulk.approve}
      </Button>
      <ErrorNote error={toExplainedError(error)} />
    </>
  );
};

const kinds = {
  reject: {
    call: 'POST /api/profiles/:user_id/reject',
    label: text.bulk.reject,
    title: text.actions.rejectTitle,
    hint: text.actions.rejectReason,
    done: text.actions.rejected,
  },
  suspend: {
    call: 'POST /api/profiles/:user_id/suspend',
    label: text.bulk.suspend,
    title: text.actions.suspendTitle,
    hint: text.actions.suspendReason,
    done: text.actions.suspended,
  },
} as const;

const ReasonButton = ({ person, kind }: Props & { readonly kind: keyof typeof kinds }) => {
  const { call: name, label, title, hint, done } = kinds[kind];
  const me = useMe();
  const [open, setOpen] = useState(false);
  const change = useChange(name, { invalidates: statusReads });
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const submit = (fields: FormData): void =>
    change.mutate(
      { params: { user_id: person.id }, body: { reason: fieldOf(fields, 'reason') } },
      {
        onSuccess: () => {
          notify(done(person.full_name));
          close();
        },
      },
    );
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        destructive
        open={open}
        close={close}
        title={title(person.full_name)}
        submit={submit}
        submitLabel={label}
        busy={change.isPending}
        error={toExplainedError(change.error)}
      >
        {kind === 'suspend' ? <p>{text.actions.suspendHint}</p> : null}
        {kind === 'suspend' && me.id === person.id ? <p>{text.actions.yourself}</p> : null}
        <Textarea
          name="reason"
          label={text.actions.reason}
          description={hint}
          maxLength={reasonMax}
          autosize
          minRows={2}
        />
      </Dialog>
    </>
  );
};

const undoActions = {
  resume: { call: 'POST /api/profiles/:user_id/resume', label: text.actions.resume, done: text.actions.resumed },
  reopen: { call: 'POST /api/profiles/:user_id/reopen', label: text.actions.reopen, done: text.actions.reopened },
} as const;

/** Ends a suspension, or undoes a rejection. */
const UndoButton = ({ person, kind }: Props & { readonly kind: keyof typeof undoActions }) => {
  const { call: name, label, done } = undoActions[kind];
  const change = useChange(name, { invalidates: statusReads });
  const undo = (): void =>
    change.mutate({ params: { user_id: person.id } }, { onSuccess: () => notify(done(person.full_name)) });
  return (
    <>
      <Button loading={change.isPending} onClick={undo}>
        {label}
      </Button>
      <ErrorNote error={toExplainedError(change.error)} />
    </>
  );
};
