import { localAdmin, type Config, type Environment, type LocalUser, type Portico } from '@portico/composition';
import { counted, exitCodes, OperatorError, type Terminal } from '../terminal.ts';

/** The local issuer's user of that id; without one, the first admin, if it is the local issuer's, or the local admin. */
export const consoleUser = (
  { firstAdmin }: Pick<Config, 'firstAdmin'>,
  { uid, email, groups }: { readonly uid?: string; readonly email?: string; readonly groups?: readonly string[] },
): LocalUser => {
  const admin = firstAdmin?.issuer === localAdmin.issuer ? firstAdmin : localAdmin;
  const named = uid === undefined ? { uid: admin.uid, email: admin.email } : { uid, ...(email ? { email } : {}) };
  return { ...named, ...(named.email ? { emailVerified: true } : {}), ...(groups ? { groups } : {}) };
};

/**
 * Prints a link that opens the console and signs this user in, once. The code in it is stored as a digest; the running
 * services read it there.
 */
export const openConsole = async (
  { localSignIn }: Pick<Portico, 'localSignIn'>,
  terminal: Terminal,
  user: LocalUser,
  { address, minutes }: { readonly address: string; readonly minutes: number },
): Promise<void> => {
  if (!localSignIn) throw new Error('The local issuer is off');
  const until = Date.now() + minutes * 60_000;
  const code = await localSignIn.invite(user, until).catch((error: unknown) => {
    throw error instanceof RangeError ? new OperatorError(error.message, exitCodes.usage) : error;
  });
  const link = `${address}/console/#code=${code}`;
  const { uid, email } = user;
  const expiresAt = new Date(until).toISOString();
  terminal.result({ link, code, uid, email: email ?? null, expires_at: expiresAt }, [
    link,
    `The link signs in ${uid}${email ? ` (${email})` : ''}, once, within ${counted(minutes, 'minute')}.`,
    `In a browser that cannot open it: ${address}/console/, with the code ${code}.`,
  ]);
};

/** Throws where the local issuer is off, since people sign in elsewhere then. */
export const refuseOtherIssuer = ({ identity }: Pick<Config, 'identity'>, address: string): void => {
  if (identity.local) return;
  throw new OperatorError(
    `the local issuer is off (IDENTITY_LOCAL): sign in with the identity provider at ${address}/console/`,
  );
};

/**
 * Where a browser reaches the service: at PUBLIC_URL; else at PORTICO_ADDRESS, by which Docker publishes a port (`3000`,
 * `0.0.0.0:3000`, `[::1]:3000`); else where it listens.
 */
export const browserAddress = (
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  { PORTICO_ADDRESS: published }: Environment,
): string => {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  const [, at = host, number = String(port)] = /^(?:(.+):)?(\d{1,5})$/.exec(published ?? '') ?? [];
  return `http://${browsable(at.replace(/^\[(.*)\]$/, '$1'))}:${number}`;
};

/** An address that means every one of the machine is none that a browser can open. */
const browsable = (host: string): string => {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
