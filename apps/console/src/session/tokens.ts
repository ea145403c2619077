import { Problem } from '../api/problem.ts';
import { IssuerUnavailable } from './sign-in-methods.ts';

/** A sign-in: the ID token, which the service accepts, and how to get the next one. */
export interface SignIn {
  readonly idToken: string;
  /** The expiry in milliseconds since 1970, according to this machine's clock. */
  readonly expiresAt: number;
  /**
   * Gets the next token without user interaction. Rejects with `IssuerUnavailable` if a retry may succeed,
   * and with any other error if the user has to sign in again.
   */
  renew(): Promise<SignIn>;
}

type Listener = () => void;

/** `absent`: never signed in, or signed out. `expired`: the sign-in expired and has to be repeated. */
export type SignInState = 'absent' | 'present' | 'expired';

/** How long before its expiry a token is renewed, so that no request uses it too late; less if it is short-lived. */
const renewalMarginMs = 60_000;
/** A token is no longer sent if it expires within this time. */
const minRemainingMs = 5_000;
/** The time until the next retry if the issuer is unavailable while the token is still valid. */
const retryMs = 5_000;

let signIn: SignIn | null = null;
let state: SignInState = 'absent';
let timer: ReturnType<typeof setTimeout> | undefined;
let waiters: { readonly resolve: (token: string) => void; readonly reject: (error: Error) => void }[] = [];
const listeners = new Set<Listener>();
/** One renewal per sign-in at a time, since a refresh token may work only once. */
const renewals = new WeakMap<SignIn, Promise<SignIn>>();

const change = (next: SignIn | null, nextState: SignInState): void => {
  signIn = next;
  state = nextState;
  clearTimeout(timer);
  if (next) scheduleRenewal(delayUntilRenewal(next));
  listeners.forEach((listener) => listener());
};

const scheduleRenewal = (ms: number): void => {
  clearTimeout(timer);
  // A timer longer than 2^31 ms would fire immediately.
  timer = setTimeout(() => void renewBeforeExpiry(), Math.min(Math.max(ms, 1_000), 2 ** 31 - 1));
};

const delayUntilRenewal = (next: SignIn): number =>
  remainingMsOf(next) - Math.min(renewalMarginMs, remainingMsOf(next) / 3);

const remainingMsOf = ({ expiresAt }: SignIn): number => expiresAt - Date.now();

const renewalOf = (current: SignIn): Promise<SignIn> => {
  const pending = renewals.get(current);
  if (pending) return pending;
  const renewal = current.renew().then((next) => {
    // Skipped if the user has signed out or signed in again in the meantime.
    if (signIn === current) change(next, 'present');
    return next;
  });
  renewals.set(current, renewal);
  renewal.catch(() => renewals.delete(current));
  return renewal;
};

/**
 * Renews the token before it expires. Does not disturb the user while the token is still valid: the issuer may be
 * unavailable only briefly.
 */
const renewBeforeExpiry = async (): Promise<void> => {
  const current = signIn;
  if (!current || state !== 'present') return;
  await renewalOf(current).catch((error: unknown) => {
    if (signIn !== current || state !== 'present') return;
    if (error instanceof IssuerUnavailable) scheduleRenewal(retryMs);
    else if (remainingMsOf(current) > minRemainingMs)
      scheduleRenewal(Math.min(retryMs, remainingMsOf(current) - minRemainingMs));
    else expire();
  });
};

/** Marks the sign-in as expired. Open forms are kept: requests wait until there is a token again. */
const expire = (): void => {
  change(signIn, 'expired');
  clearTimeout(timer);
};

const renewNow = async (): Promise<string> => {
  const current = signIn;
  if (current && state === 'present') {
    await renewalOf(current).catch((error: unknown) => {
      if (signIn !== current) return;
      // The computer may have woken up before its network connection: a retry may succeed.
      if (error instanceof IssuerUnavailable) throw new Problem(0, null, null);
      expire();
    });
  }
  return waitForToken();
};

const waitForToken = async (): Promise<string> => {
  if (!signIn) throw new Problem(401, null, null);
  return state === 'present' ? signIn.idToken : new Promise((resolve, reject) => waiters.push({ resolve, reject }));
};

/** The ID token, which is kept only in this module's memory, never in the browser's storage. */
export const tokens = {
  /** Returns the token; null if there is no sign-in. Waits while the sign-in has to be repeated. */
  async getCurrentToken(): Promise<string | null> {
    if (!signIn) return null;
    return state === 'present' && remainingMsOf(signIn) > minRemainingMs ? signIn.idToken : renewNow();
  },

  /** Returns a newer token than the rejected one. Throws `Problem` if there is no sign-in. */
  renew: (): Promise<string> => renewNow(),

  /** Sets a new sign-in and resumes the waiting requests. */
  accept(next: SignIn): void {
    change(next, 'present');
    const resumedWaiters = waiters;
    waiters = [];
    resumedWaiters.forEach(({ resolve }) => resolve(next.idToken));
  },

  /** Removes the sign-in and rejects the waiting requests. */
  forget(): void {
    change(null, 'absent');
    const resumedWaiters = waiters;
    waiters = [];
    resumedWaiters.forEach(({ reject }) => reject(new Problem(401, null, null)));
  },

  getState: (): SignInState => state,
  getClaims: (): TokenClaims | null => (signIn ? claimsOf(signIn.idToken) : null),

  subscribe: (listener: Listener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Returns the expiry of a token issued now, according to this machine's clock, which may differ from the issuer's. */
export const expiryOf = (token: string): number => {
  const { exp, iat } = claimsOf(token);
  return iat === null ? exp * 1_000 : Date.now() + (exp - iat) * 1_000;
};

/** A token's claims about its user. They are used only for display, never for decisions. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly exp: number;
  readonly iat: number | null;
  readonly email: string | null;
  readonly name: string | null;
}

export const claimsOf = (token: string): TokenClaims => {
  const [, payload = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  const readText = (name: string): string | null => (typeof claims[name] === 'string' ? claims[name] : null);
  return {
    iss: readText('iss') ?? '',
    sub: readText('sub') ?? '',
    exp: Number(claims['exp'] ?? 0),
    iat: typeof claims['iat'] === 'number' ? claims['iat'] : null,
    email: readText('email'),
    name: readText('name'),
  };
};
