import type { Environment } from '@portico/composition';
import { tokenRevocation } from 'openid-client';
import { signInByDevice } from '../sign-in/device-flow.ts';
import { discoverIssuer } from '../sign-in/issuer.ts';
import { forgetSignIn, keepSignIn, readSignIn } from '../sign-in/kept-sign-ins.ts';
import { signInByLoopback } from '../sign-in/loopback-flow.ts';
import { pageOpener } from '../sign-in/open-page.ts';
import { expiryOf, type Tokens } from '../sign-in/tokens.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';

export interface LoginOptions {
  readonly issuer?: string;
  readonly clientId?: string;
}

/** As long as device codes usually live. */
const patienceMs = 600_000;

/** Signs in at the identity provider, and keeps the identity token for this server. */
export const logIn = async (
  environment: Environment,
  terminal: Terminal,
  server: string,
  options: LoginOptions,
): Promise<void> => {
  // One that cannot be used is replaced.
  const kept = await readSignIn(environment, server).catch(() => null);
  const name = options.issuer ?? environment['PORTICO_ISSUER'] ?? kept?.issuer;
  const clientId = options.clientId ?? environment['PORTICO_CLIENT_ID'] ?? kept?.client_id;
  if (!name || !clientId) {
    throw new OperatorError(
      'pass --issuer and --client-id (or set PORTICO_ISSUER and PORTICO_CLIENT_ID): where people sign in, and the public client of that issuer whose tokens the server takes (its IDENTITY_ISSUER and IDENTITY_AUDIENCE)',
      exitCodes.usage,
    );
  }
  const issuer = await discoverIssuer(name, clientId);
  const open = pageOpener(terminal);
  const hasDevices = issuer.serverMetadata().device_authorization_endpoint !== undefined;
  const byDevice = hasDevices ? await signInByDevice(issuer, open) : null;
  const { id_token, refresh_token }: Tokens = byDevice ?? (await signInByLoopback(issuer, open, patienceMs));
  if (!id_token) throw new OperatorError('the issuer gave no identity token: is it an OpenID Connect provider?');
  const signIn = { server, issuer: name, client_id: clientId, id_token, ...(refresh_token ? { refresh_token } : {}) };
  await keepSignIn(environment, signIn);
  const until = new Date(expiryOf(id_token)).toISOString();
  terminal.result({ server, expires_at: until, renewed: refresh_token !== undefined }, [
    `Signed in at ${server}${refresh_token ? '; the sign-in is renewed while it is used' : ` until ${until}`}.`,
  ]);
};

/** Removes what is kept for this server; what can be revoked is, even if the server is away. */
export const logOut = async (environment: Environment, terminal: Terminal, server: string): Promise<void> => {
  const kept = await readSignIn(environment, server).catch((error: unknown) => {
    terminal.note(`portico: ${(error as Error).message}`);
    return null;
  });
  await forgetSignIn(environment, server);
  const revoked = kept?.refresh_token ? await revoke(kept, kept.refresh_token, terminal) : false;
  const said = kept ? `Signed out at ${server}.` : `Nobody was signed in at ${server}.`;
  terminal.result({ server, was_signed_in: kept !== null, revoked }, [said]);
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
    // It is forgotten here all the same.
    terminal.note(`portico: warning: ${name} did not revoke the sign-in: ${(error as Error).message}`);
    return false;
  }
};
