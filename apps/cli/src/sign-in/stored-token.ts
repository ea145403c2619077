import type { Environment } from '@portico/composition';
import { OperatorError } from '../terminal.ts';
import { removeSignIn, storeSignIn, readSignIn, type SignIn } from './sign-in-store.ts';
import { expiryOf } from './tokens.ts';

/** A token with less than this lifetime left is renewed first, so that it outlives a command's requests. */
const minLifetimeMs = 120_000;

/**
 * Returns the stored identity token for a server, renewed if it expires soon; null if there is none. Throws an
 * `OperatorError` if it has expired and cannot be renewed.
 */
export const readStoredToken = async (environment: Environment, server: string): Promise<string | null> => {
  const signIn = await readSignIn(environment, server);
  if (!signIn) return null;
  const remainingMs = expiryOf(signIn.id_token) - Date.now();
  if (remainingMs > minLifetimeMs) return signIn.id_token;
  if (signIn.refresh_token) return renew(environment, signIn, signIn.refresh_token, remainingMs > 0);
  if (remainingMs > 0) return signIn.id_token;
  throw new OperatorError(`the sign-in to ${server} has expired: run "portico login --server ${server}" again`);
};

const renew = async (
  environment: Environment,
  signIn: SignIn,
  refreshToken: string,
  isStillValid: boolean,
): Promise<string> => {
  // Only a renewal needs the OpenID client.
  const { errorCodeOf, throwOperatorError, discoverIssuer } = await import('./issuer.ts');
  const { refreshTokenGrant } = await import('openid-client');
  const signInHint = `run "portico login --server ${signIn.server}" again`;
  try {
    const issuer = await discoverIssuer(signIn.issuer, signIn.client_id);
    const tokens = await refreshTokenGrant(issuer, refreshToken);
    if (!tokens.id_token) throw new OperatorError(`the issuer does not renew identity tokens: ${signInHint}`);
    await storeSignIn(environment, {
      ...signIn,
      id_token: tokens.id_token,
      refresh_token: tokens.refresh_token ?? refreshToken,
    });
    return tokens.id_token;
  } catch (error) {
    // A concurrent command may have used the same refresh token to renew it.
    const storedSignIn = await readSignIn(environment, signIn.server);
    if (storedSignIn && storedSignIn.refresh_token !== refreshToken) return storedSignIn.id_token;
    if (isStillValid) return signIn.id_token;
    if (errorCodeOf(error) !== 'invalid_grant') return throwOperatorError('the sign-in cannot be renewed')(error);
    await removeSignIn(environment, signIn.server);
    throw new OperatorError(`the sign-in to ${signIn.server} is no longer valid: ${signInHint}`);
  }
};
