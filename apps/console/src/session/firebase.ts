import { endOf, type Sign } from './tokens.ts';
import { IssuerAway, SignInError, type FirebaseWay } from './ways.ts';

/** What Firebase's error codes mean to whoever signs in. */
const sentences: Readonly<Record<string, string>> = {
  EMAIL_NOT_FOUND: 'There is no account with this e-mail and password.',
  INVALID_PASSWORD: 'There is no account with this e-mail and password.',
  INVALID_LOGIN_CREDENTIALS: 'There is no account with this e-mail and password.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  MISSING_PASSWORD: 'A password is needed.',
  USER_DISABLED: 'This account is disabled at the identity provider.',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'Too many attempts: try again later.',
  TOKEN_EXPIRED: 'The sign-in has ended.',
  OPERATION_NOT_ALLOWED: 'Signing in by password is not enabled in this Firebase project.',
};

const withSecondFactor = 'This account has a second factor, which cannot be asked for here.';

/**
 * E-mail with password by Firebase's REST API (Identity Toolkit, `accounts:signInWithPassword`; Secure Token Service).
 * The refresh token stays in memory as the ID token does.
 */
export const firebaseSignIn = (way: FirebaseWay) => {
  const post = async (url: string, body: string, type: string): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}?key=${encodeURIComponent(way.api_key)}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
      credentials: 'omit',
      // Google compares it where a key is restricted to websites.
      referrerPolicy: 'strict-origin',
    }).catch(() => {
      throw new IssuerAway();
    });
    const answered = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
    if (!response.ok) throw new SignInError(refusalOf(answered));
    return answered;
  };

  const signOf = (idToken: unknown, refreshToken: unknown): Sign => {
    if (typeof idToken !== 'string' || typeof refreshToken !== 'string') throw new SignInError(withSecondFactor);
    return {
      idToken,
      expiresAt: endOf(idToken),
      async renew() {
        const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
        const answered = await post(way.token_url, form.toString(), 'application/x-www-form-urlencoded');
        return signOf(answered['id_token'], answered['refresh_token']);
      },
    };
  };

  return {
    async signIn(email: string, password: string): Promise<Sign> {
      const body = JSON.stringify({ email, password, returnSecureToken: true });
      const answered = await post(way.sign_in_url, body, 'application/json');
      return signOf(answered['idToken'], answered['refreshToken']);
    },
  };
};

const refusalOf = (answered: Readonly<Record<string, unknown>>): string => {
  const { message = '' } = (answered['error'] ?? {}) as { readonly message?: string };
  const code = /^[A-Z_]+/.exec(message)?.[0] ?? '';
  return sentences[code] ?? `The identity provider refused${code ? `: ${code}` : '.'}`;
};
