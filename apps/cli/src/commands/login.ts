import type { Environment } from '@portico/composition';
import { tokenRevocation } from 'openid-client';
import { signInByDevice } from '../sign-in/device-flow.ts';
import { discoverIssuer } from '../sign-in/issuer.ts';
import { removeSignIn, storeSignIn, readSignIn } from '../sign-in/sign-in-store.ts';
import { signInByLoopback } from '../sign-in/loopback-flow.ts';
import { pageOpener } from '../sign-in/open-page.ts';
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
  const stored = await readSignIn(environment, server).catch(() => null);
  const name = options.issuer ?? environment['PORTICO_ISSUER'] ?? stored?.issuer;
  const clientId = options.clientId ?? environment['PORTICO_CLIENT_ID'] ?? stored?.client_id;
  if (!name || !clientId) {
    throw new OperatorError(
      'pass --issuer and --client-id (or set PORTICO_ISSUER and PORTICO_CLIENT_ID): where people sign in, and the public client of that issuer whose tokens the server accepts (its IDENTITY_ISSUER and IDENTITY_AUDIENCE)',
      exitCodes.usage,
    );
  }
  const issuer = await discoverIssuer(name, clientId);
  const open = pageOpener(terminal);
  const hasDevices = issuer.serverMetadata().device_authorization_endpoint !== undefined;
  const byDevice = hasDevices ? await signInByDevice(issuer, open) : null;
  const { id_token, refresh_token }: Tokens = byDevice ?? (await signInByLoopback(issuer, open, signInTimeoutMs));
  if (!id_token) throw new OperatorError('the issuer returned no identity token: is it an OpenID Connect provider?');
  const signIn = { server, issuer: name, client_id: clientId, id_token, ...(refresh_token ? { refresh_token } : {}) };
  await storeSignIn(environment, signIn);
  const until = new Date(expiryOf(id_token)).toISOString();
  terminal.result({ server, expires_at: until, renewed: refresh_token !== undefined }, [
    `Signed in at ${server}${refresh_token ? '; the sign-in is renewed while it is used' : ` until ${until}`}.`,
  ]);
};

/** Removes the stored sign-in for this server and revokes it if possible, even if the server is unavailable. */
export const logOut = async (environment: Environment, terminal: Terminal, server: string): Promise<void> => {
  const stored = await readSignIn(environment, server).catch((error: unknown) => {
    terminal.note(`portico: ${(error as Error).message}`);
    return null;
  });
  await removeSignIn(environment, server);
  const revoked = stored?.refresh_token ? await revoke(stored, stored.refresh_token, terminal) : false;
  const message = stored ? `Signed out at ${server}.` : `You were not signed in at ${server}.`;
  terminal.result({ server, was_signed_in: stored !== null, revoked }, [message]);
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
    terminal.note(`portico: warning: ${name} did not revoke the sign-in: ${(error as Error).message}`);
    return false;
  }
};
