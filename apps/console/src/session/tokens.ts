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

/** `absent`: never signed in, or signed out. `ended`: the sign-in expired and has to be repeated. */
export type SignInState = 'absent' | 'present' | 'ended';

/** How long before its expiry a token is renewed, so that no request uses it too late; less if it is short-lived. */
const renewalMarginMs = 60_000;
/** A token is no longer sent if it expires within this time. */
const minRemainingMs = 5_000;
/** The time until the next retry if the issuer is unavailable while the token is still valid. */
const retryMs = 5_000;

let signIn: SignIn | null = null;
let state: SignInState = 'absent';
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: { readonly resolve: (token: string) => void; readonly reject: (error: Error) => void }[] = [];
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
  timer = setTimeout(() => void renewAhead(), Math.min(Math.max(ms, 1_000), 2 ** 31 - 1));
};

const delayUntilRenewal = (next: SignIn): number =>
  remainingMs(next) - Math.min(renewalMarginMs, remainingMs(next) / 3);

const remainingMs = ({ expiresAt }: SignIn): number => expiresAt - Date.now();

const renewalOf = (from: SignIn): Promise<SignIn> => {
  const pending = renewals.get(from);
  if (pending) return pending;
  const renewal = from.renew().then((next) => {
    // Skipped if the user has signed out or signed in again in the meantime.
    if (signIn === from) change(next, 'present');
    return next;
  });
  renewals.set(from, renewal);
  renewal.catch(() => renewals.delete(from));
  return renewal;
};

/**
 * Renews the token before it expires. Does not disturb the user while the token is still valid: the issuer may be
 * unavailable only briefly.
 */
const renewAhead = async (): Promise<void> => {
  const from = signIn;
  if (!from || state !== 'present') return;
  await renewalOf(from).catch((error: unknown) => {
    if (signIn !== from || state !== 'present') return;
    if (error instanceof IssuerUnavailable) scheduleRenewal(retryMs);
    else if (remainingMs(from) > minRemainingMs) scheduleRenewal(Math.min(retryMs, remainingMs(from) - minRemainingMs));
    else expire();
  });
};

/** Marks the sign-in as ended. Open forms are kept: requests wait until there is a token again. */
const expire = (): void => {
  change(signIn, 'ended');
  clearTimeout(timer);
};

const renewNow = async (): Promise<string> => {
  const from = signIn;
  if (from && state === 'present') {
    await renewalOf(from).catch((error: unknown) => {
      if (signIn !== from) return;
      // The computer may have woken up before its network connection: a retry may succeed.
      if (error instanceof IssuerUnavailable) throw new Problem(0, null, null);
      expire();
    });
  }
  return currentToken();
};

const currentToken = async (): Promise<string> => {
  if (!signIn) throw new Problem(401, null, null);
  return state === 'present' ? signIn.idToken : new Promise((go, stop) => waiting.push({ resolve: go, reject: stop }));
};

/** The ID token, which is kept only in this module's memory, never in the browser's storage. */
export const tokens = {
  /** Returns the token; null if there is no sign-in. Waits while the sign-in has to be repeated. */
  async current(): Promise<string | null> {
    if (!signIn) return null;
    return state === 'present' && remainingMs(signIn) > minRemainingMs ? signIn.idToken : renewNow();
  },

  /** Returns a newer token than the rejected one. Throws `Problem` if there is no sign-in. */
  renewed: (): Promise<string> => renewNow(),

  /** Sets a new sign-in and resumes the waiting requests. */
  take(next: SignIn): void {
    change(next, 'present');
    const woken = waiting;
    waiting = [];
    woken.forEach(({ resolve: go }) => go(next.idToken));
  },

  /** Removes the sign-in and rejects the waiting requests. */
  forget(): void {
    change(null, 'absent');
    const woken = waiting;
    waiting = [];
    woken.forEach(({ reject: stop }) => stop(new Problem(401, null, null)));
  },

  state: (): SignInState => state,
  claims: (): TokenClaims | null => (signIn ? claimsOf(signIn.idToken) : null),

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
  const text = (name: string): string | null => (typeof claims[name] === 'string' ? claims[name] : null);
  return {
    iss: text('iss') ?? '',
    sub: text('sub') ?? '',
    exp: Number(claims['exp'] ?? 0),
    iat: typeof claims['iat'] === 'number' ? claims['iat'] : null,
    email: text('email'),
    name: text('name'),
  };
};
