import { Problem } from '../api/problem.ts';
import { IssuerAway } from './ways.ts';

/** What is known of who signed in: the ID token, which is all that the service takes, and how to get the next one. */
export interface Sign {
  readonly idToken: string;
  /** In milliseconds since 1970, by the clock of this machine. */
  readonly expiresAt: number;
  /**
   * Gets the next token without asking anybody. Rejects with `IssuerAway` if another try may succeed; with any other
   * error if the sign-in has to be made again.
   */
  renew(): Promise<Sign>;
}

type Listener = () => void;

/** Why nobody is signed in: never, by one's own will, or because the sign-in ended and has to be made again. */
export type SignState = 'absent' | 'present' | 'ended';

/** Renewed this long before the end, so that a request on its way does not arrive late; sooner if it lives short. */
const marginMs = 60_000;
/** What is left of a token that is not sent any more. */
const endMs = 5_000;
/** Until the next try, where the issuer is away while the token is still good. */
const againMs = 5_000;

let sign: Sign | null = null;
let state: SignState = 'absent';
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: { readonly go: (token: string) => void; readonly stop: (error: Error) => void }[] = [];
const listeners = new Set<Listener>();
/** One renewal of each sign at a time, since a refresh token may work only once. */
const renewals = new WeakMap<Sign, Promise<Sign>>();

const change = (next: Sign | null, nextState: SignState): void => {
  sign = next;
  state = nextState;
  clearTimeout(timer);
  if (next) renewIn(waitFor(next));
  listeners.forEach((listener) => listener());
};

const renewIn = (ms: number): void => {
  clearTimeout(timer);
  // A timer longer than 2^31 ms would fire at once.
  timer = setTimeout(() => void renewAhead(), Math.min(Math.max(ms, 1_000), 2 ** 31 - 1));
};

const waitFor = (next: Sign): number => leftOf(next) - Math.min(marginMs, leftOf(next) / 3);

const leftOf = ({ expiresAt }: Sign): number => expiresAt - Date.now();

const renewalOf = (from: Sign): Promise<Sign> => {
  const underWay = renewals.get(from);
  if (underWay) return underWay;
  const renewal = from.renew().then((next) => {
    // Unless somebody has signed out, or in again, meanwhile.
    if (sign === from) change(next, 'present');
    return next;
  });
  renewals.set(from, renewal);
  renewal.catch(() => renewals.delete(from));
  return renewal;
};

/** Nobody is disturbed while the token is still good: the issuer may be away for a moment only. */
const renewAhead = async (): Promise<void> => {
  const from = sign;
  if (!from || state !== 'present') return;
  await renewalOf(from).catch((error: unknown) => {
    if (sign !== from || state !== 'present') return;
    if (error instanceof IssuerAway) renewIn(againMs);
    else if (leftOf(from) > endMs) renewIn(Math.min(againMs, leftOf(from) - endMs));
    else end();
  });
};

/** Whoever fills in a form keeps it: requests wait until there is a token again. */
const end = (): void => {
  change(sign, 'ended');
  clearTimeout(timer);
};

const renewNow = async (): Promise<string> => {
  const from = sign;
  if (from && state === 'present') {
    await renewalOf(from).catch((error: unknown) => {
      if (sign !== from) return;
      // As in a computer that woke up before its network: the next try may succeed.
      if (error instanceof IssuerAway) throw new Problem(0, null, null);
      end();
    });
  }
  return tokenAtLast();
};

const tokenAtLast = async (): Promise<string> => {
  if (!sign) throw new Problem(401, null, null);
  return state === 'present' ? sign.idToken : new Promise((go, stop) => waiting.push({ go, stop }));
};

/** The ID token, kept in this module's memory only: no storage of the browser ever holds it. */
export const tokens = {
  /** Null while nobody is signed in. Waits while the sign-in has to be made again. */
  async current(): Promise<string | null> {
    if (!sign) return null;
    return state === 'present' && leftOf(sign) > endMs ? sign.idToken : renewNow();
  },

  /** A newer token than the one that was refused. Throws `Problem` if nobody is signed in. */
  renewed: (): Promise<string> => renewNow(),

  /** Takes a new sign-in; what waited for one goes on. */
  take(next: Sign): void {
    change(next, 'present');
    const woken = waiting;
    waiting = [];
    woken.forEach(({ go }) => go(next.idToken));
  },

  /** Forgets the token; what waited for one fails. */
  forget(): void {
    change(null, 'absent');
    const woken = waiting;
    waiting = [];
    woken.forEach(({ stop }) => stop(new Problem(401, null, null)));
  },

  state: (): SignState => state,
  claims: (): TokenClaims | null => (sign ? claimsOf(sign.idToken) : null),

  subscribe: (listener: Listener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** When a token ends that was made now. What its issuer's clock says stays out of it: this machine's may be wrong. */
export const endOf = (token: string): number => {
  const { exp, iat } = claimsOf(token);
  return iat === null ? exp * 1_000 : Date.now() + (exp - iat) * 1_000;
};

/** What a token says of its user; read for display alone, never to decide. */
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
