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
import { explained } from './refusals.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const affectedReads = ['GET /api/profiles/:user_id'] as const;

interface Props {
  readonly person: PersonDetails;
}

/** The API key of a client: its last use, its expiry, and a button to replace its secret. */
export const PersonKey = ({ person, issue }: Props & { readonly issue: (key: IssuedKey) => void }) => {
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
          <KeyEnd person={person} />
        </dd>
      </dl>
      <div className={styles.actions}>
        <Rotate person={person} issue={issue} />
      </div>
    </Section>
  );
};

const KeyEnd = ({ person }: Props) => {
  const [open, setOpen] = useState(false);
  const change = useChange('PUT /api/profiles/:user_id/credentials', { invalidates: affectedReads });
  const end = person.key_expires_at ?? null;
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const send = (expires: string | null): void =>
    change.mutate(
      { params: { user_id: person.id }, body: { expires_at: expires } },
      {
        onSuccess: () => {
          notify(expires === null ? text.expiryRemoved : text.expirySet);
          close();
        },
      },
    );
  return (
    <>
      <Expiry at={end} />
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {end ? text.changeExpiry : text.setExpiry}
      </Button>
      {end ? (
        <Button variant="default" size="xs" loading={change.isPending} onClick={() => send(null)}>
          {text.removeExpiry}
        </Button>
      ) : null}
      {open ? null : <ErrorNote error={explained(change.error)} />}
      <Dialog
        open={open}
        close={close}
        title={text.expiryTitle}
        act={(fields) => send(fieldOf(fields, 'end'))}
        busy={change.isPending}
        error={explained(change.error)}
      >
        <TextInput
          type="date"
          name="end"
          required
          label={text.lastDay}
          description={text.lastDayHint}
          min={dayOf(new Date())}
          defaultValue={end ? (lastDayOf(end) ?? dayOf(new Date(end))) : ''}
        />
      </Dialog>
    </>
  );
};

/** The response contains the secret, so it is not cached. */
const Rotate = ({ person, issue }: Props & { readonly issue: (key: IssuedKey) => void }) => {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const act = async (fields: FormData): Promise<void> => {
    const grace = fieldOf(fields, 'grace');
    setBusy(true);
    setError(null);
    try {
      const credentials = await call('POST /api/profiles/:user_id/credentials', {
        params: { user_id: person.id },
        body: { grace_seconds: Number(grace) },
      });
      const graceText = text.graceText[grace];
      const previous = graceText ? words.people.secret.previous(graceText) : words.people.secret.previousEnded;
      setOpen(false);
      issue({
        name: person.full_name,
        clientId: credentials.client_id,
        secret: credentials.client_secret,
        note: `${words.people.secret.rotatedOnce} ${previous}`,
      });
    } catch (refused) {
      setError(refused);
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
        act={act}
        actLabel={text.rotate}
        busy={busy}
        error={explained(error)}
      >
        <p>{text.rotateHint}</p>
        <NativeSelect
          name="grace"
          label={text.grace}
          defaultValue="86400"
          data={Object.entries(text.graces).map(([value, label]) => ({ value, label }))}
        />
      </Dialog>
    </>
  );
};
