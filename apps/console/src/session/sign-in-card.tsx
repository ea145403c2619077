import { Alert, Button, Code, PasswordInput, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { Alone } from '../layout/alone.tsx';
import { fieldOf } from '../parts/form-fields.ts';
import { useTitle } from '../layout/use-title.ts';
import iconUrl from '../icon.svg';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { beginSignIn, signInByPassword } from './session.ts';
import { sentenceOf, type FirebaseWay, type Way } from './ways.ts';

const text = words.session;

/** All ways to sign in that are configured. */
export const SignInCard = ({ problem }: { readonly problem: string | null }) => {
  const { ways } = useSession().config;
  const [failure, setFailure] = useState(problem);
  useTitle(text.title);
  return (
    <Alone>
      <img src={iconUrl} alt="" width={48} height={48} />
      <h1>{words.frame.brand}</h1>
      <p>{text.intro}</p>
      {failure ? (
        <Alert color="red" role="alert" title={text.failed}>
          {failure}
        </Alert>
      ) : null}
      {ways.length === 0 ? <p>{text.noWay}</p> : null}
      {ways.map((way) => (
        <WayIn key={way.name} way={way} fail={setFailure} />
      ))}
    </Alone>
  );
};

const WayIn = ({ way, fail }: { readonly way: Way; readonly fail: (why: string) => void }) => {
  const [busy, setBusy] = useState(false);
  if (way.kind === 'firebase') return <PasswordForm way={way} />;
  const begin = (): void => {
    setBusy(true);
    const returnTo = window.location.pathname.startsWith('/console/sign-in') ? '/' : hereInConsole();
    beginSignIn(way, returnTo).catch((error: unknown) => {
      setBusy(false);
      fail(sentenceOf(error, text.cannotStart));
    });
  };
  return (
    <>
      <Button size="md" loading={busy} onClick={begin}>
        {way.kind === 'local' ? text.byCode : text.by(way.name)}
      </Button>
      {way.kind === 'local' ? (
        <p>
          {text.codeHint} <Code>{text.codeCommand}</Code>
        </p>
      ) : null}
    </>
  );
};

const hereInConsole = (): string => window.location.pathname.replace(/^\/console/, '') + window.location.search || '/';

/** E-mail and password, for an identity provider without a page of its own. */
export const PasswordForm = ({ way }: { readonly way: FirebaseWay }) => {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = form.get('password');
    setBusy(true);
    signInByPassword(way, fieldOf(form, 'email'), typeof password === 'string' ? password : '').catch(
      (error: unknown) => {
        setBusy(false);
        setFailure(sentenceOf(error, text.cannotStart));
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <TextInput name="email" type="email" autoComplete="username" label={text.email} required mb="sm" />
      <PasswordInput
        name="password"
        autoComplete="current-password"
        label={text.password}
        required
        mb="md"
        error={failure}
        errorProps={{ role: 'alert' }}
        // Mantine does not say it of the field within its frame.
        aria-invalid={failure !== null}
      />
      <Button type="submit" fullWidth size="md" loading={busy}>
        {text.title}
      </Button>
    </form>
  );
};
