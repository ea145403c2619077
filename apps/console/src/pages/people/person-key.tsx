import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { touch, useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { End } from '../../parts/end.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { dayOf, lastDayOf } from '../../parts/last-day.ts';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { IssuedKey } from './issued-key.tsx';
import styles from './people.module.css';
import type { WholePerson } from './whole-person.ts';
import { inWords } from './refusals.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const touches = ['GET /api/profiles/:user_id'] as const;

interface Facts {
  readonly person: WholePerson;
}

/** The API key of a client: when it was used, until when it counts, and another secret for it. */
export const PersonKey = ({ person, issue }: Facts & { readonly issue: (key: IssuedKey) => void }) => {
  if (person.role === 'admin' || person.client_id === null)
    return (
      <Section title={text.key}>
        <p>{person.role === 'admin' ? text.keySleeps : text.noKey}</p>
      </Section>
    );
  return (
    <Section title={text.key}>
      <dl className={styles.facts}>
        <dt>{text.keyUsed}</dt>
        <dd>
          <Moment at={person.key_last_used_at} />
        </dd>
        <dt>{text.keyExpires}</dt>
        <dd>
          <KeyEnd person={person} />
        </dd>
      </dl>
      <div className={styles.acts}>
        <Rotate person={person} issue={issue} />
      </div>
    </Section>
  );
};

const KeyEnd = ({ person }: Facts) => {
  const [open, setOpen] = useState(false);
  const change = useChange('PUT /api/profiles/:user_id/credentials', { touches });
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
          notify(expires === null ? text.endRemoved : text.endSet);
          close();
        },
      },
    );
  return (
    <>
      <End at={end} />
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {end ? text.changeEnd : text.setEnd}
      </Button>
      {end ? (
        <Button variant="default" size="xs" loading={change.isPending} onClick={() => send(null)}>
          {text.removeEnd}
        </Button>
      ) : null}
      {open ? null : <ErrorNote error={inWords(change.error)} />}
      <Dialog
        open={open}
        close={close}
        title={text.endTitle}
        act={(fields) => send(fieldOf(fields, 'end'))}
        busy={change.isPending}
        error={inWords(change.error)}
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

/** The answer holds the secret, so no cache gets it. */
const Rotate = ({ person, issue }: Facts & { readonly issue: (key: IssuedKey) => void }) => {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const act = async (fields: FormData): Promise<void> => {
    const grace = fieldOf(fields, 'grace');
    setBusy(true);
    setError(null);
    try {
      const answered = await call('POST /api/profiles/:user_id/credentials', {
        params: { user_id: person.id },
        body: { grace_seconds: Number(grace) },
      });
      const stays = text.graceTold[grace];
      const previous = stays ? words.people.secret.previous(stays) : words.people.secret.previousEnded;
      setOpen(false);
      issue({
        name: person.full_name,
        clientId: answered.client_id,
        secret: answered.client_secret,
        note: `${words.people.secret.rotatedOnce} ${previous}`,
      });
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
    await touch(queries, touches);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {text.rotate}
      </Button>
      <Dialog
        dangerous
        open={open}
        close={() => setOpen(false)}
        title={text.rotateTitle}
        act={act}
        actLabel={text.rotate}
        busy={busy}
        error={inWords(error)}
      >
        <p>{text.whatRotate}</p>
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
