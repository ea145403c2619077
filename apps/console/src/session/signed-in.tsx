import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { isProblem } from '../api/problem.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loading } from '../parts/loading.tsx';
import { call } from '../api/call.ts';
import { MeContext, type Me } from './me.ts';
import { RegisterForm } from './register-form.tsx';
import { RenewDialog } from './renew-dialog.tsx';
import { SessionContext } from './session-context.ts';
import { signOut, startSession, type Start } from './session.ts';
import { SignInCard } from './sign-in-card.tsx';
import { AccountStatus } from './account-status.tsx';
import { tokens } from './tokens.ts';
import type { Config } from './sign-in-methods.ts';
import { StandalonePage } from '../layout/standalone-page.tsx';

/** The pages are in a separate file, so that the sign-in appears immediately. */
const Router = lazy(async () => ({ default: (await import('../router.tsx')).Router }));

/** Signs in first, then shows the person's pages. */
export const SignedIn = () => {
  const config = useQuery({ queryKey: ['config'], queryFn: readConfig, staleTime: Infinity });
  const [start, setStart] = useState<Start | null>(null);
  useEffect(() => {
    if (!config.data) return;
    void startOnce(config.data).then((result) => {
      if (result.kind === 'signed in') window.history.replaceState(null, '', `/console${result.returnTo}`);
      setStart(result);
    });
  }, [config.data]);
  const state = useSyncExternalStore(tokens.subscribe, () => tokens.getState());
  if (config.error)
    return (
      <StandalonePage>
        <ErrorNote error={config.error} retry={() => config.refetch()} />
      </StandalonePage>
    );
  if (!config.data || !start || start.kind === 'redirecting' || start.kind === 'forwarded')
    return (
      <StandalonePage>
        <Loading />
      </StandalonePage>
    );
  return (
    <WithConfig config={config.data}>
      {state === 'absent' ? <SignInCard problem={start.kind === 'sign in' ? start.problem : null} /> : <Gate />}
      {state === 'expired' ? <RenewDialog /> : null}
    </WithConfig>
  );
};

const readConfig = async (): Promise<Config> => call('GET /console/config.json');

let startPromise: Promise<Start> | null = null;

/** A one-time code or a response from the issuer works only once, but React may mount a component twice. */
const startOnce = (config: Config): Promise<Start> => (startPromise ??= startSession(config));

const WithConfig = ({ config, children }: { readonly config: Config; readonly children: React.ReactNode }) => {
  const session = useMemo(() => ({ config, signOut: () => void signOut(config) }), [config]);
  return <SessionContext value={session}>{children}</SessionContext>;
};

/** Shows the pages to approved people, and everyone else the state of their registration. */
const Gate = () => {
  const me = useQuery({
    queryKey: ['GET /api/profiles/me'],
    queryFn: ({ signal }) => call('GET /api/profiles/me', { signal }),
    staleTime: 60_000,
  });
  if (me.isPending)
    return (
      <StandalonePage>
        <Loading />
      </StandalonePage>
    );
  if (isProblem(me.error, 404)) return <RegisterForm onDone={() => me.refetch()} />;
  if (isProblem(me.error, 401)) return <AccountStatus status="denied" check={() => me.refetch()} />;
  if (!me.data)
    return (
      <StandalonePage>
        <ErrorNote error={me.error} retry={() => me.refetch()} />
      </StandalonePage>
    );
  const { registration_status: status, role } = me.data;
  if (role !== 'admin' && status !== 'approved') return <AccountStatus status={status} check={() => me.refetch()} />;
  return <SignedInPages me={me.data} />;
};

const SignedInPages = ({ me }: { readonly me: Me }) => (
  <MeContext value={me}>
    <Suspense fallback={<Loading />}>
      <Router />
    </Suspense>
  </MeContext>
);
