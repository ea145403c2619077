import { Problem } from '../api/problem.ts';

/** What is known of who signed in: the ID token, which is all that the service takes, and how to get the next one. */
export interface Sign {
  readonly idToken: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** Gets the next token without asking anybody; rejects if that is not possible any more. */
  renew(): Promise<Sign>;
}

type Listener = () => void;

/** Why nobody is signed in: never, by one's own will, or because the sign-in ended and has to be made again. */
export type SignState = 'absent' | 'present' | 'ended';

/** Renewed this long before the end, so that a request on its way does not arrive late. */
const marginMs = 60_000;

let sign: Sign | null = null;
let state: SignState = 'absent';
let renewal: Promise<string> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: { readonly go: (token: string) => void; readonly stop: (error: Error) => void }[] = [];
const listeners = new Set<Listener>();

const change = (next: Sign | null, nextState: SignState): void => {
  sign = next;
  state = nextState;
  clearTimeout(timer);
  if (next) timer = setTimeout(() => void renewNow().catch(() => undefined), waitFor(next));
  listeners.forEach((listener) => listener());
};

/** A timer longer than 2^31 ms would fire at once. */
const waitFor = ({ expiresAt }: Sign): number =>
  Math.min(Math.max(expiresAt - Date.now() - marginMs, 1_000), 2 ** 31 - 1);

const renewNow = (): Promise<string> => {
  renewal ??= renewOnce().finally(() => (renewal = null));
  return renewal;
};

const renewOnce = async (): Promise<string> => {
  if (!sign) throw new Problem(401, null, null);
  try {
    const next = await sign.renew();
    change(next, 'present');
    return next.idToken;
  } catch {
    // Whoever fills in a form keeps it: requests wait until there is a token again.
    change(sign, 'ended');
    clearTimeout(timer);
    return new Promise((go, stop) => waiting.push({ go, stop }));
  }
};

/** The ID token, kept in this module's memory only: no storage of the browser ever holds it. */
export const tokens = {
  /** Null while nobody is signed in. Waits while the sign-in has to be made again. */
  async current(): Promise<string | null> {
    if (!sign) return null;
    return sign.expiresAt - Date.now() > 5_000 && state === 'present' ? sign.idToken : renewNow();
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

/** What a token says of its user; read for display alone, never to decide. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly exp: number;
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
    email: text('email'),
    name: text('name'),
  };
};
