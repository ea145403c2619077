import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';

const text = words.people.actions;

/** Deletes a person, which cannot be undone, so their email address has to be typed. */
export const DeleteButton = ({ person }: { readonly person: PersonDetails }) => {
  const me = useMe();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [typedEmail, setTypedEmail] = useState('');
  const change = useChange('DELETE /api/profiles/:user_id', {
    invalidates: ['GET /api/profiles/', 'GET /api/groups', 'GET /api/rate-limits/overrides'],
  });
  const close = () => {
    setOpen(false);
    setTypedEmail('');
    change.reset();
  };
  const submit = (): void =>
    change.mutate(
      { params: { user_id: person.id } },
      {
        onSuccess: () => {
          notify(text.deleted(person.full_name));
          void navigate('/people');
        },
      },
    );
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        {text.delete}
      </Button>
      <Dialog
        destructive
        open={open}
        close={close}
        title={text.deleteTitle(person.full_name)}
        submit={submit}
        submitLabel={text.delete}
        busy={change.isPending}
        disabled={typedEmail.trim().toLowerCase() !== person.email.toLowerCase()}
        error={toExplainedError(change.error)}
      >
        <p>{text.deleteHint}</p>
        <p>{text.suspendInstead}</p>
        {me.id === person.id ? <p>{text.yourself}</p> : null}
        <TextInput
          label={text.typeEmail(person.email)}
          value={typedEmail}
          onChange={({ currentTarget }) => setTypedEmail(currentTarget.value)}
          autoComplete="off"
        />
      </Dialog>
    </>
  );
};
