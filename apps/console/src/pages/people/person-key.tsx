import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidateReads, useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { dayOf, lastDayOf } from '../../parts/last-day.ts';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { IssuedKey } from './issued-key.tsx';
import styles from './people.module.css';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const affectedReads = ['GET /api/profiles/:user_id'] as const;

interface Props {
  readonly person: PersonDetails;
}

/** The API key of a client: its last use, its expiry, and a button to replace its secret. */
export const PersonKey = ({ person, showKey }: Props & { readonly showKey: (key: IssuedKey) => void }) => {
  if (person.role === 'admin' || person.client_id === null)
    return (
      <Section title={text.key}>
        <p>{person.role === 'admin' ? text.adminKey : text.noKey}</p>
      </Section>
    );
  return (
    <Section title={text.key}>
      <dl className={styles.properties}>
        <dt>{text.keyUsed}</dt>
        <dd>
          <Moment at={person.key_last_used_at} />
        </dd>
        <dt>{text.keyExpires}</dt>
        <dd>
          <KeyExpiry person={person} />
        </dd>
      </dl>
      <div className={styles.actions}>
        <Rotate person={person} showKey={showKey} />
      </div>
    </Section>
  );
};

const KeyExpiry = ({ person }: Props) => {
  const [open, setOpen] = useState(false);
  const change = useChange('PUT /api/profiles/:user_id/credentials', { invalidates: affectedReads });
  const expiresAt = person.key_expires_at ?? null;
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const send = (newExpiry: string | null): void =>
    change.mutate(
      { params: { user_id: person.id }, body: { expires_at: newExpiry } },
      {
        onSuccess: () => {
          notify(newExpiry === null ? text.expiryRemoved : text.expirySet);
          close();
        },
      },
    );
  return (
    <>
      <Expiry at={expiresAt} />
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {expiresAt ? text.changeExpiry : text.setExpiry}
      </Button>
      {expiresAt ? (
        <Button variant="default" size="xs" loading={change.isPending} onClick={() => send(null)}>
          {text.removeExpiry}
        </Button>
      ) : null}
      {open ? null : <ErrorNote error={toExplainedError(change.error)} />}
      <Dialog
        open={open}
        close={close}
        title={text.expiryTitle}
        submit={(fields) => send(fieldOf(fields, 'lastDay'))}
        busy={change.isPending}
        error={toExplainedError(change.error)}
      >
        <TextInput
          type="date"
          name="lastDay"
          required
          label={text.lastDay}
          description={text.lastDayHint}
          min={dayOf(new Date())}
          defaultValue={expiresAt ? (lastDayOf(expiresAt) ?? dayOf(new Date(expiresAt))) : ''}
        />
      </Dialog>
    </>
  );
};

/** The response contains the secret, so it is not cached. */
const Rotate = ({ person, showKey }: Props & { readonly showKey: (key: IssuedKey) => void }) => {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (fields: FormData): Promise<void> => {
    const grace = fieldOf(fields, 'grace');
    setBusy(true);
    setError(null);
    try {
      const credentials = await call('POST /api/profiles/:user_id/credentials', {
        params: { user_id: person.id },
        body: { grace_seconds: Number(grace) },
      });
      const graceText = text.graceDurations[grace];
      const previousNote = graceText ? words.people.secret.previous(graceText) : words.people.secret.previousInvalid;
      setOpen(false);
      showKey({
        name: person.full_name,
        clientId: credentials.client_id,
        secret: credentials.client_secret,
        note: `${words.people.secret.rotatedNote} ${previousNote}`,
      });
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    await invalidateReads(queries, affectedReads);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {text.rotate}
      </Button>
      <Dialog
        destructive
        open={open}
        close={() => setOpen(false)}
        title={text.rotateTitle}
        submit={submit}
        submitLabel={text.rotate}
        busy={busy}
        error={toExplainedError(error)}
      >
        <p>{text.rotateHint}</p>
        <NativeSelect
          name="grace"
          label={text.grace}
          defaultValue="86400"
          data={Object.entries(text.graceOptions).map(([value, label]) => ({ value, label }))}
        />
      </Dialog>
    </>
  );
};
