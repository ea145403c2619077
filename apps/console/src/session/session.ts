import { firebaseSignIn } from './firebase.ts';
import { forwardCallback, callbackPath, oidcSignIn } from './oidc.ts';
import { claimsOf, tokens, type SignIn } from './tokens.ts';
import type { Config, SignInMethod } from './sign-in-methods.ts';

/** The storage key of this tab's sign-in method, which is needed after a redirect and is not a secret. */
const methodKey = 'portico.way';

const getStoredMethod = ({ ways: methods }: Config): SignInMethod | undefined =>
  methods.find(({ name }) => name === window.sessionStorage.getItem(methodKey));

const storeMethod = (method: SignInMethod): void => window.sessionStorage.setItem(methodKey, method.name);

/** The result of starting the page. */
export type Start =
  | { readonly kind: 'forwarded' }
  | { readonly kind: 'signed in'; readonly returnTo: string }
  | { readonly kind: 'redirecting' }
  | { readonly kind: 'sign in'; readonly problem: string | null };

/** Returns the one-time code from a printed link. The code is in the fragment, which no server sees. */
const readOneTimeCode = (): string | null => /^#code=([A-Za-z0-9-]+)$/.exec(window.location.hash)?.[1] ?? null;

/**
 * Reloads the page to use the code of a printed link: pasting the link into a tab with the console changes only the
 * fragment.
 */
export const followPrintedLinks = (): void =>
  window.addEventListener('hashchange', () => {
    if (readOneTimeCode() !== null) window.location.reload();
  });

/** Removes the code from the URL immediately. */
const takeOneTimeCode = (): string | null => {
  const code = readOneTimeCode();
  if (code !== null) window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return code;
};

/** Returns the current URL within the console, as the place to return to. */
const getCurrentPath = (): string => window.location.pathname.replace(/^\/console/, '') + window.location.search || '/';

export const startSession = async (config: Config): Promise<Start> => {
  if (window.location.pathname === callbackPath) return finishSignIn(config);
  const code = takeOneTimeCode();
  const localMethod = config.ways.find(({ kind }) => kind === 'local');
  if (code !== null && localMethod && localMethod.kind === 'local') {
    await beginSignIn(localMethod, getCurrentPath(), code);
    return { kind: 'redirecting' };
  }
  const method = getStoredMethod(config);
  if (method?.kind === 'oidc' && isReload()) return signInSilently(method);
  return { kind: 'sign in', problem: null };
};

const isReload = (): boolean =>
  window.performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'reload');

/**
 * Signs in after a reload, which loses the token. An issuer that still has a session issues a new token without asking
 * the user.
 */
const signInSilently = async (method: SignInMethod): Promise<Start> => {
  try {
    await beginSignIn(method, getCurrentPath());
    return { kind: 'redirecting' };
  } catch {
    // The page explains what to do, and has a button to try again.
    return { kind: 'sign in', problem: null };
  }
};

const finishSignIn = async (config: Config): Promise<Start> => {
  if (await forwardCallback()) return { kind: 'forwarded' };
  const method = getStoredMethod(config);
  if (!method || method.kind === 'firebase') return { kind: 'sign in', problem: null };
  try {
    const { signIn: newSignIn, returnTo } = await oidcSignIn(method).finish();
    tokens.accept(newSignIn);
    return { kind: 'signed in', returnTo };
  } catch (error) {
    return { kind: 'sign in', problem: error instanceof Error ? error.message : String(error) };
  }
};

export const beginSignIn = async (
  method: SignInMethod,
  returnTo: string,
  oneTimeCode: string | null = null,
): Promise<void> => {
  storeMethod(method);
  if (method.kind !== 'firebase') await oidcSignIn(method).begin(returnTo, oneTimeCode);
};

export const signInByPassword = async (method: SignInMethod, email: string, password: string): Promise<void> => {
  if (method.kind !== 'firebase') throw new TypeError('Only Firebase supports signing in with a password');
  storeMethod(method);
  acceptSignIn(await firebaseSignIn(method).signIn(email, password));
};

/** Signs in again while the page keeps its forms. */
export const signInAgain = async (config: Config): Promise<void> => {
  const method = getStoredMethod(config);
  if (method && method.kind !== 'firebase') acceptSignIn(await oidcSignIn(method).signInAgain());
};

/** Accepts a sign-in. A different person must not get the page and the waiting requests of the previous one. */
const acceptSignIn = (newSignIn: SignIn): void => {
  const previousClaims = tokens.getClaims();
  const { iss, sub } = claimsOf(newSignIn.idToken);
  if (!previousClaims || (previousClaims.sub === sub && previousClaims.iss === iss)) return tokens.accept(newSignIn);
  tokens.forget();
  window.location.assign('/console/');
};

export const getCurrentMethod = getStoredMethod;

export const signOut = async (config: Config): Promise<void> => {
  const method = getStoredMethod(config);
  const isLeaving = method && method.kind === 'oidc' ? await oidcSignIn(method).signOut() : false;
  tokens.forget();
  window.sessionStorage.removeItem(methodKey);
  if (!isLeaving) window.location.assign('/console/');
};
