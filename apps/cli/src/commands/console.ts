import { localAdmin, type Config, type Environment, type LocalUser, type Portico } from '@portico/composition';
import { formatCount, exitCodes, OperatorError, type Terminal } from '../terminal.ts';

/** Returns the local issuer's user with this id; by default, the configured first admin, or else the local admin. */
export const resolveConsoleUser = (
  { firstAdmin }: Pick<Config, 'firstAdmin'>,
  { uid, email, groups }: { readonly uid?: string; readonly email?: string; readonly groups?: readonly string[] },
): LocalUser => {
  const admin = firstAdmin?.issuer === localAdmin.issuer ? firstAdmin : localAdmin;
  const identity = uid === undefined ? { uid: admin.uid, email: admin.email } : { uid, ...(email ? { email } : {}) };
  return { ...identity, ...(identity.email ? { emailVerified: true } : {}), ...(groups ? { groups } : {}) };
};

/**
 * Prints a one-time link that opens the console and signs this user in. The link's code is stored as a digest, which
 * running services read.
 */
export const openConsole = async (
  { localSignIn }: Pick<Portico, 'localSignIn'>,
  terminal: Terminal,
  user: LocalUser,
  { serviceUrl, minutes }: { readonly serviceUrl: string; readonly minutes: number },
): Promise<void> => {
  if (!localSignIn) throw new Error('The local issuer is off');
  const until = Date.now() + minutes * 60_000;
  const code = await localSignIn.invite(user, until).catch((error: unknown) => {
    throw error instanceof RangeError ? new OperatorError(error.message, exitCodes.usage) : error;
  });
  const link = `${serviceUrl}/console/#code=${code}`;
  const { uid, email } = user;
  const expiresAt = new Date(until).toISOString();
  terminal.printResult({ link, code, uid, email: email ?? null, expires_at: expiresAt }, [
    link,
    `The link signs in ${uid}${email ? ` (${email})` : ''}, once, within ${formatCount(minutes, 'minute')}.`,
    `In a browser that cannot open it: ${serviceUrl}/console/, with the code ${code}.`,
  ]);
};

/** Throws if the local issuer is disabled, because people then sign in with the identity provider. */
export const requireLocalIssuer = ({ identity }: Pick<Config, 'identity'>, serviceUrl: string): void => {
  if (identity.local) return;
  throw new OperatorError(
    `the local issuer is off (IDENTITY_LOCAL): sign in with the identity provider at ${serviceUrl}/console/`,
  );
};

/**
 * Returns the URL where a browser reaches the service: PUBLIC_URL; otherwise PORTICO_ADDRESS, where Docker
 * publishes the port (`3000`, `0.0.0.0:3000`, `[::1]:3000`); otherwise the address that the service listens on.
 */
export const resolveBrowserUrl = (
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  { PORTICO_ADDRESS: publishedAddress }: Environment,
): string => {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  const [, publishedHost = host, number = String(port)] = /^(?:(.+):)?(\d{1,5})$/.exec(publishedAddress ?? '') ?? [];
  return `http://${toBrowsableHost(publishedHost.replace(/^\[(.*)\]$/, '$1'))}:${number}`;
};

/** Replaces a wildcard address, which browsers cannot open, with the loopback address. */
const toBrowsableHost = (host: string): string => {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
