import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { touch, useChange, type Reads } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import type { IssuedKey } from './issued-key.tsx';
import type { WholePerson } from './whole-person.ts';
import { inWords } from './refusals.ts';

const text = words.people;
const reasonMax = 1_000;

/** What shows how somebody stands, here and in lists. */
export const standingReads: readonly Reads[] = ['GET /api/profiles/:user_id', 'GET /api/profiles/'];

interface Facts {
  readonly person: WholePerson;
}

/** Approve or reject who waits; take a rejection back; suspend who was approved, or let them in again. */
export const StandingActs = ({ person, issue }: Facts & { readonly issue: (key: IssuedKey) => void }) => {
  if (person.registration_status === 'pending')
    return (
      <>
        <Approve person={person} issue={issue} />
        <WithReason person={person} kind="reject" />
      </>
    );
  if (person.suspended_at) return <TakeBack person={person} kind="resume" />;
  if (person.registration_status === 'rejected') return <TakeBack person={person} kind="reopen" />;
  return person.registration_status === 'approved' ? <WithReason person={person} kind="suspend" /> : null;
};

/** The answer holds the secret, so no cache gets it. */
const Approve = ({ person, issue }: Facts & { readonly issue: (key: IssuedKey) => void }) => {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const approve = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const answered = await call('POST /api/profiles/:user_id/approve', { params: { user_id: person.id } });
      const { client_id: clientId, client_secret: secret } = answered;
      issue({ name: person.full_name, clientId, secret, note: text.secret.approvedOnce });
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
    await touch(queries, standingReads);
  };
  return (
    <>
      <Button loading={busy} onClick={() => void approve()}>
        {text.many.approve}
      </Button>
      <ErrorNote error={inWords(error)} />
    </>
  );
};

const kinds = {
  reject: {
    call: 'POST /api/profiles/:user_id/reject',
    label: text.many.reject,
    title: text.acts.rejectOne,
    hint: text.acts.rejectReason,
    done: text.acts.rejected,
  },
  suspend: {
    call: 'POST /api/profiles/:user_id/suspend',
    label: text.many.suspend,
    title: text.acts.suspendOne,
    hint: text.acts.suspendReason,
    done: text.acts.suspended,
  },
} as const;

const WithReason = ({ person, kind }: Facts & { readonly kind: keyof typeof kinds }) => {
  const { call: name, label, title, hint, done } = kinds[kind];
  const me = useMe();
  const [open, setOpen] = useState(false);
  const change = useChange(name, { touches: standingReads });
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const act = (fields: FormData): void =>
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
        dangerous
        open={open}
        close={close}
        title={title(person.full_name)}
        act={act}
        actLabel={label}
        busy={change.isPending}
        error={inWords(change.error)}
      >
        {kind === 'suspend' ? <p>{text.acts.whatSuspend}</p> : null}
        {kind === 'suspend' && me.id === person.id ? <p>{text.acts.yourself}</p> : null}
        <Textarea
          name="reason"
          label={text.acts.reason}
          description={hint}
          maxLength={reasonMax}
          autosize
          minRows={2}
        />
      </Dialog>
    </>
  );
};

const takingBack = {
  resume: { call: 'POST /api/profiles/:user_id/resume', label: text.acts.resume, done: text.acts.resumed },
  reopen: { call: 'POST /api/profiles/:user_id/reopen', label: text.acts.reopen, done: text.acts.reopened },
} as const;

/** Ends a suspension, or takes a rejection back. */
const TakeBack = ({ person, kind }: Facts & { readonly kind: keyof typeof takingBack }) => {
  const { call: name, label, done } = takingBack[kind];
  const change = useChange(name, { touches: standingReads });
  const takeBack = (): void =>
    change.mutate({ params: { user_id: person.id } }, { onSuccess: () => notify(done(person.full_name)) });
  return (
    <>
      <Button loading={change.isPending} onClick={takeBack}>
        {label}
      </Button>
      <ErrorNote error={inWords(change.error)} />
    </>
  );
};
