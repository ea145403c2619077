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
import { Standing } from './standing.tsx';
import { tokens } from './tokens.ts';
import type { Config } from './ways.ts';
import { Alone } from '../layout/alone.tsx';

/** The pages come with their own file, so that signing in shows at once. */
const Router = lazy(async () => ({ default: (await import('../router.tsx')).Router }));

/** Signs in first, then shows who may see what. */
export const SignedIn = () => {
  const config = useQuery({ queryKey: ['config'], queryFn: readConfig, staleTime: Infinity });
  const [start, setStart] = useState<Start | null>(null);
  useEffect(() => {
    if (!config.data) return;
    void once(config.data).then((began) => {
      if (began.kind === 'signed in') window.history.replaceState(null, '', `/console${began.returnTo}`);
      setStart(began);
    });
  }, [config.data]);
  const state = useSyncExternalStore(tokens.subscribe, () => tokens.state());
  if (config.error)
    return (
      <Alone>
        <ErrorNote error={config.error} retry={() => config.refetch()} />
      </Alone>
    );
  if (!config.data || !start || start.kind === 'leaving' || start.kind === 'handed over')
    return (
      <Alone>
        <Loading />
      </Alone>
    );
  return (
    <WithConfig config={config.data}>
      {state === 'absent' ? <SignInCard problem={start.kind === 'sign in' ? start.problem : null} /> : <Gate />}
      {state === 'ended' ? <RenewDialog /> : null}
    </WithConfig>
  );
};

const readConfig = async (): Promise<Config> => call('GET /console/config.json');

let begun: Promise<Start> | null = null;

/** A one-time code and an answer of the issuer work once, whatever React mounts again. */
const once = (config: Config): Promise<Start> => (begun ??= startSession(config));

const WithConfig = ({ config, children }: { readonly config: Config; readonly children: React.ReactNode }) => {
  const session = useMemo(() => ({ config, signOut: () => void signOut(config) }), [config]);
  return <SessionContext value={session}>{children}</SessionContext>;
};

/** Lets in whoever is approved; tells everybody else where they stand. */
const Gate = () => {
  const me = useQuery({
    queryKey: ['GET /api/profiles/me'],
    queryFn: ({ signal }) => call('GET /api/profiles/me', { signal }),
    staleTime: 60_000,
  });
  if (me.isPending)
    return (
      <Alone>
        <Loading />
      </Alone>
    );
  if (isProblem(me.error, 404)) return <RegisterForm done={() => me.refetch()} />;
  if (isProblem(me.error, 401)) return <Standing standing="refused" check={() => me.refetch()} />;
  if (!me.data)
    return (
      <Alone>
        <ErrorNote error={me.error} retry={() => me.refetch()} />
      </Alone>
    );
  const { registration_status: status, role } = me.data;
  if (role !== 'admin' && status !== 'approved') return <Standing standing={status} check={() => me.refetch()} />;
  return <Inside me={me.data} />;
};

const Inside = ({ me }: { readonly me: Me }) => (
  <MeContext value={me}>
    <Suspense fallback={<Loading />}>
      <Router />
    </Suspense>
  </MeContext>
);
