import { Button, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { call } from '../api/call.ts';
import { StandalonePage } from '../layout/standalone-page.tsx';
import { useTitle } from '../layout/use-title.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { fieldOf } from '../parts/form-fields.ts';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { tokens } from './tokens.ts';

const text = words.session;

/** Registers the signed-in person, whose token proves their identity. */
export const RegisterForm = ({ onDone }: { readonly onDone: () => unknown }) => {
  const { signOut } = useSession();
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const claims = tokens.getClaims();
  useTitle(text.registerTitle);
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    call('POST /api/profiles/register', {
      body: {
        firebase_uid: claims?.sub ?? '',
        email: fieldOf(form, 'email'),
        full_name: fieldOf(form, 'name'),
        ...(fieldOf(form, 'company') ? { company_name: fieldOf(form, 'company') } : {}),
      },
    })
      .then(onDone, setFailure)
      .finally(() => setBusy(false));
  };
  return (
    <StandalonePage>
      <h1>{text.registerTitle}</h1>
      <p>{text.register}</p>
      <form onSubmit={submit}>
        <TextInput
          name="email"
          type="email"
          label={text.email}
          defaultValue={claims?.email ?? ''}
          readOnly={Boolean(claims?.email)}
          required
          mb="sm"
        />
        <TextInput
          name="name"
          autoComplete="name"
          label={text.fullName}
          defaultValue={claims?.name ?? ''}
          required
          mb="sm"
        />
        <TextInput name="company" autoComplete="organization" label={text.company} mb="md" />
        <ErrorNote error={failure} />
        <Button type="submit" fullWidth loading={busy}>
          {text.send}
        </Button>
      </form>
      <Button variant="default" onClick={signOut}>
        {words.frame.signOut}
      </Button>
    </StandalonePage>
  );
};
