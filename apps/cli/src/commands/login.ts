import type { Environment } from '@portico/composition';
import { tokenRevocation } from 'openid-client';
import { signInByDevice } from '../sign-in/device-flow.ts';
import { discoverIssuer } from '../sign-in/issuer.ts';
import { removeSignIn, storeSignIn, readSignIn } from '../sign-in/sign-in-store.ts';
import { signInByLoopback } from '../sign-in/loopback-flow.ts';
import { createPageOpener } from '../sign-in/open-page.ts';
import { expiryOf, type Tokens } from '../sign-in/tokens.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';

export interface LoginOptions {
  readonly issuer?: string;
  readonly clientId?: string;
}

/** The timeout for signing in: the usual lifetime of a device code. */
const signInTimeoutMs = 600_000;

/** Signs in with the identity provider, and stores the identity token for this server. */
export const logIn = async (
  environment: Environment,
  terminal: Terminal,
  server: string,
  options: LoginOptions,
): Promise<void> => {
  // A sign-in that cannot be read is replaced.
  const storedSignIn = await readSignIn(environment, server).catch(() => null);
  const name = options.issuer ?? environment['PORTICO_ISSUER'] ?? storedSignIn?.issuer;
  const clientId = options.clientId ?? environment['PORTICO_CLIENT_ID'] ?? storedSignIn?.client_id;
  if (!name || !clientId) {
    throw new OperatorError(
      'pass --issuer and --client-id (or set PORTICO_ISSUER and PORTICO_CLIENT_ID): the identity provider, and the public client whose tokens the server accepts (its IDENTITY_ISSUER and IDENTITY_AUDIENCE)',
      exitCodes.usage,
    );
  }
  const issuer = await discoverIssuer(name, clientId);
  const openPage = createPageOpener(terminal);
  const supportsDeviceFlow = issuer.serverMetadata().device_authorization_endpoint !== undefined;
  const deviceTokens = supportsDeviceFlow ? await signInByDevice(issuer, openPage) : null;
  const { id_token, refresh_token }: Tokens =
    deviceTokens ?? (await signInByLoopback(issuer, openPage, signInTimeoutMs));
  if (!id_token) throw new OperatorError('the issuer returned no identity token: is it an OpenID Connect provider?');
  const signIn = { server, issuer: name, client_id: clientId, id_token, ...(refresh_token ? { refresh_token } : {}) };
  await storeSignIn(environment, signIn);
  const expiresAt = new Date(expiryOf(id_token)).toISOString();
  terminal.printResult({ server, expires_at: expiresAt, renewed: refresh_token !== undefined }, [
    `Signed in to ${server}${refresh_token ? '; the sign-in is renewed as long as it is used' : ` until ${expiresAt}`}.`,
  ]);
};

/** Removes the stored sign-in for this server and revokes it if possible, even if the server is unavailable. */
export const logOut = async (environment: Environment, terminal: Terminal, server: string): Promise<void> => {
  const storedSignIn = await readSignIn(environment, server).catch((error: unknown) => {
    terminal.printNote(`portico: ${(error as Error).message}`);
    return null;
  });
  await removeSignIn(environment, server);
  const isRevoked = storedSignIn?.refresh_token
    ? await revoke(storedSignIn, storedSignIn.refresh_token, terminal)
    : false;
  const message = storedSignIn ? `Signed out of ${server}.` : `You were not signed in to ${server}.`;
  terminal.printResult({ server, was_signed_in: storedSignIn !== null, revoked: isRevoked }, [message]);
};

const revoke = async (
  { issuer: name, client_id: clientId }: { readonly issuer: string; readonly client_id: string },
  refreshToken: string,
  terminal: Terminal,
): Promise<boolean> => {
  try {
    const issuer = await discoverIssuer(name, clientId);
    if (issuer.serverMetadata().revocation_endpoint === undefined) return false;
    await tokenRevocation(issuer, refreshToken, { token_type_hint: 'refresh_token' });
    return true;
  } catch (error) {
    // The stored sign-in is removed anyway.
    terminal.printNote(`portico: warning: ${name} did not revoke the sign-in: ${(error as Error).message}`);
    return false;
  }
};
