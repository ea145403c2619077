import { Alert, Button, Code, PasswordInput, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { StandalonePage } from '../layout/standalone-page.tsx';
import { fieldOf } from '../parts/form-fields.ts';
import { useTitle } from '../layout/use-title.ts';
import iconUrl from '../icon.svg';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { beginSignIn, signInByPassword } from './session.ts';
import { messageOf, type FirebaseMethod, type SignInMethod } from './sign-in-methods.ts';

const text = words.session;

/** All configured sign-in methods. */
export const SignInCard = ({ problem }: { readonly problem: string | null }) => {
  const { ways: methods } = useSession().config;
  const [failure, setFailure] = useState(problem);
  useTitle(text.title);
  return (
    <StandalonePage>
      <img src={iconUrl} alt="" width={48} height={48} />
      <h1>{words.frame.brand}</h1>
      <p>{text.intro}</p>
      {failure ? (
        <Alert color="red" role="alert" title={text.failed}>
          {failure}
        </Alert>
      ) : null}
      {methods.length === 0 ? <p>{text.noMethod}</p> : null}
      {methods.map((method) => (
        <MethodButton key={method.name} method={method} showFailure={setFailure} />
      ))}
    </StandalonePage>
  );
};

const MethodButton = ({
  method,
  showFailure,
}: {
  readonly method: SignInMethod;
  readonly showFailure: (message: string) => void;
}) => {
  const [busy, setBusy] = useState(false);
  if (method.kind === 'firebase') return <PasswordForm method={method} />;
  const startSignIn = (): void => {
    setBusy(true);
    const returnTo = window.location.pathname.startsWith('/console/sign-in') ? '/' : getCurrentPath();
    beginSignIn(method, returnTo).catch((error: unknown) => {
      setBusy(false);
      showFailure(messageOf(error, text.cannotStart));
    });
  };
  return (
    <>
      <Button size="md" loading={busy} onClick={startSignIn}>
        {method.kind === 'local' ? text.signInWithCode : text.signInWith(method.name)}
      </Button>
      {method.kind === 'local' ? (
        <p>
          {text.codeHint} <Code>{text.codeCommand}</Code>
        </p>
      ) : null}
    </>
  );
};

const getCurrentPath = (): string => window.location.pathname.replace(/^\/console/, '') + window.location.search || '/';

/** A form for email and password, for an identity provider without a login page. */
export const PasswordForm = ({ method }: { readonly method: FirebaseMethod }) => {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = form.get('password');
    setBusy(true);
    signInByPassword(method, fieldOf(form, 'email'), typeof password === 'string' ? password : '').catch(
      (error: unknown) => {
        setBusy(false);
        setFailure(messageOf(error, text.cannotStart));
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
        // Mantine does not set this attribute on the input itself.
        aria-invalid={failure !== null}
      />
      <Button type="submit" fullWidth size="md" loading={busy}>
        {text.title}
      </Button>
    </form>
  );
};
