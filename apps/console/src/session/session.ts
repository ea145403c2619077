import { firebaseSignIn } from './firebase.ts';
import { handOverCallback, callbackPath, oidcSignIn } from './oidc.ts';
import { claimsOf, tokens, type Sign } from './tokens.ts';
import type { Config, Way } from './ways.ts';

/** Remembers, for this tab, by which way one came back or will come back; it is no secret. */
const wayKey = 'portico.way';

const rememberedWay = ({ ways }: Config): Way | undefined =>
  ways.find(({ name }) => name === window.sessionStorage.getItem(wayKey));

const remember = (way: Way): void => window.sessionStorage.setItem(wayKey, way.name);

/** What the page does first. */
export type Start =
  | { readonly kind: 'handed over' }
  | { readonly kind: 'signed in'; readonly returnTo: string }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'sign in'; readonly problem: string | null };

/** The one-time code of a printed link. It stands in the fragment, which no server sees. */
const oneTimeCode = (): string | null => /^#code=([A-Za-z0-9-]+)$/.exec(window.location.hash)?.[1] ?? null;

/** A printed link that is pasted into a tab with the console changes the fragment alone: begins anew with its code. */
export const followPrintedLinks = (): void =>
  window.addEventListener('hashchange', () => {
    if (oneTimeCode() !== null) window.location.reload();
  });

/** Removes the code from the address at once. */
const takeOneTimeCode = (): string | null => {
  const code = oneTimeCode();
  if (code !== null) window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return code;
};

/** The address within the console, to come back to. */
const here = (): string => window.location.pathname.replace(/^\/console/, '') + window.location.search || '/';

export const startSession = async (config: Config): Promise<Start> => {
  if (window.location.pathname === callbackPath) return finishSignIn(config);
  const code = takeOneTimeCode();
  const local = config.ways.find(({ kind }) => kind === 'local');
  if (code !== null && local && local.kind === 'local') {
    await beginSignIn(local, here(), code);
    return { kind: 'leaving' };
  }
  const way = rememberedWay(config);
  if (way?.kind === 'oidc' && isReload()) return returnAtOnce(way);
  return { kind: 'sign in', problem: null };
};

const isReload = (): boolean =>
  window.performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'reload');

/** A reload forgets the token. An issuer with a session gives the next one without asking. */
const returnAtOnce = async (way: Way): Promise<Start> => {
  try {
    await beginSignIn(way, here());
    return { kind: 'leaving' };
  } catch {
    // The page says what to do, with a button to try again.
    return { kind: 'sign in', problem: null };
  }
};

const finishSignIn = async (config: Config): Promise<Start> => {
  if (await handOverCallback()) return { kind: 'handed over' };
  const way = rememberedWay(config);
  if (!way || way.kind === 'firebase') return { kind: 'sign in', problem: null };
  try {
    const { sign, returnTo } = await oidcSignIn(way).finish();
    tokens.take(sign);
    return { kind: 'signed in', returnTo };
  } catch (error) {
    return { kind: 'sign in', problem: error instanceof Error ? error.message : String(error) };
  }
};

export const beginSignIn = async (way: Way, returnTo: string, oneTimeCode: string | null = null): Promise<void> => {
  remember(way);
  if (way.kind !== 'firebase') await oidcSignIn(way).begin(returnTo, oneTimeCode);
};

export const signInByPassword = async (way: Way, email: string, password: string): Promise<void> => {
  if (way.kind !== 'firebase') throw new TypeError('Only Firebase takes a password here');
  remember(way);
  takeOwn(await firebaseSignIn(way).signIn(email, password));
};

/** Signs in again while the page and its forms stay. */
export const signInAgain = async (config: Config): Promise<void> => {
  const way = rememberedWay(config);
  if (way && way.kind !== 'firebase') takeOwn(await oidcSignIn(way).again());
};

/** Somebody else who signs in must not go on with the page, and the waiting requests, of the one before. */
const takeOwn = (sign: Sign): void => {
  const before = tokens.claims();
  const { iss, sub } = claimsOf(sign.idToken);
  if (!before || (before.sub === sub && before.iss === iss)) return tokens.take(sign);
  tokens.forget();
  window.location.assign('/console/');
};

export const currentWay = rememberedWay;

export const signOut = async (config: Config): Promise<void> => {
  const way = rememberedWay(config);
  const leaves = way && way.kind === 'oidc' ? await oidcSignIn(way).end() : false;
  tokens.forget();
  window.sessionStorage.removeItem(wayKey);
  if (!leaves) window.location.assign('/console/');
};
