import type { Environment } from '@portico/composition';
import { OperatorError } from '../terminal.ts';
import { forgetSignIn, keepSignIn, readSignIn, type SignIn } from './kept-sign-ins.ts';
import { expiryOf } from './tokens.ts';

/** A token that expires sooner is renewed first, so that it outlives the requests of a command. */
const leastMs = 120_000;

/**
 * Returns the identity token that is kept for a server, renewed if it expires soon; null if nobody is signed in there.
 * Throws an `OperatorError` if it has expired and cannot be renewed.
 */
export const keptToken = async (environment: Environment, server: string): Promise<string | null> => {
  const signIn = await readSignIn(environment, server);
  if (!signIn) return null;
  const leftMs = expiryOf(signIn.id_token) - Date.now();
  if (leftMs > leastMs) return signIn.id_token;
  if (signIn.refresh_token) return renewed(environment, signIn, signIn.refresh_token, leftMs > 0);
  if (leftMs > 0) return signIn.id_token;
  throw new OperatorError(`the sign-in at ${server} has expired: run "portico login --server ${server}" again`);
};

const renewed = async (
  environment: Environment,
  signIn: SignIn,
  refreshToken: string,
  isStillGood: boolean,
): Promise<string> => {
  // Only a renewal needs the protocol.
  const { errorCodeOf, asOperatorError, discoverIssuer } = await import('./issuer.ts');
  const { refreshTokenGrant } = await import('openid-client');
  const again = `run "portico login --server ${signIn.server}" again`;
  try {
    const issuer = await discoverIssuer(signIn.issuer, signIn.client_id);
    const tokens = await refreshTokenGrant(issuer, refreshToken);
    if (!tokens.id_token) throw new OperatorError(`the issuer renews no identity tokens: ${again}`);
    await keepSignIn(environment, {
      ...signIn,
      id_token: tokens.id_token,
      refresh_token: tokens.refresh_token ?? refreshToken,
    });
    return tokens.id_token;
  } catch (error) {
    // A command beside this one may have renewed it, with the same refresh token.
    const kept = await readSignIn(environment, signIn.server);
    if (kept && kept.refresh_token !== refreshToken) return kept.id_token;
    if (isStillGood) return signIn.id_token;
    if (errorCodeOf(error) !== 'invalid_grant') return asOperatorError('the sign-in cannot be renewed')(error);
    await forgetSignIn(environment, signIn.server);
    throw new OperatorError(`the sign-in at ${signIn.server} has ended: ${again}`);
  }
};
