import { expiryOf, type SignIn } from './tokens.ts';
import { IssuerUnavailable, SignInError, type FirebaseMethod } from './sign-in-methods.ts';

/** Messages for Firebase's error codes. */
const messages: Readonly<Record<string, string>> = {
  EMAIL_NOT_FOUND: 'There is no account with this email and password.',
  INVALID_PASSWORD: 'There is no account with this email and password.',
  INVALID_LOGIN_CREDENTIALS: 'There is no account with this email and password.',
  INVALID_EMAIL: 'Enter a valid email address.',
  MISSING_PASSWORD: 'Enter a password.',
  USER_DISABLED: 'This account is disabled at the identity provider.',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'Too many attempts: try again later.',
  TOKEN_EXPIRED: 'The session has expired.',
  OPERATION_NOT_ALLOWED: 'Signing in with a password is not enabled in this Firebase project.',
};

const secondFactorMessage = 'This account has a second factor, which is not supported here.';

/**
 * Signs in with email and password through Firebase's REST API (Identity Toolkit, `accounts:signInWithPassword`;
 * Secure Token Service). Like the ID token, the refresh token is kept only in memory.
 */
export const firebaseSignIn = (method: FirebaseMethod) => {
  const post = async (url: string, body: string, type: string): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}?key=${encodeURIComponent(method.api_key)}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
      credentials: 'omit',
      // Google checks the referrer for keys that are restricted to websites.
      referrerPolicy: 'strict-origin',
    }).catch(() => {
      throw new IssuerUnavailable();
    });
    const json = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
    if (!response.ok) throw new SignInError(describeError(json));
    return json;
  };

  const toSignIn = (idToken: unknown, refreshToken: unknown): SignIn => {
    if (typeof idToken !== 'string' || typeof refreshToken !== 'string') throw new SignInError(secondFactorMessage);
    return {
      idToken,
      expiresAt: expiryOf(idToken),
      async renew() {
        const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
        const json = await post(method.token_url, form.toString(), 'application/x-www-form-urlencoded');
        return toSignIn(json['id_token'], json['refresh_token']);
      },
    };
  };

  return {
    async signIn(email: string, password: string): Promise<SignIn> {
      const body = JSON.stringify({ email, password, returnSecureToken: true });
      const json = await post(method.sign_in_url, body, 'application/json');
      return toSignIn(json['idToken'], json['refreshToken']);
    },
  };
};

const describeError = (body: Readonly<Record<string, unknown>>): string => {
  const { message = '' } = (body['error'] ?? {}) as { readonly message?: string };
  const code = /^[A-Z_]+/.exec(message)?.[0] ?? '';
  return messages[code] ?? `The identity provider denied the sign-in${code ? `: ${code}` : '.'}`;
};
