import { localAdmin, openLocalIssuer, type Config } from '@portico/composition';
import { OperatorError, type Terminal } from '../terminal.ts';

export interface TokenOptions {
  readonly uid?: string;
  readonly email?: string;
  readonly admin?: boolean;
  readonly ttl: string;
}

const ttlSecondsMax = 86_400;

/** Mints an identity token of the local issuer. It needs the data folder alone, no running service. */
export const mintToken = async (
  config: Config,
  terminal: Terminal,
  { uid, email, admin, ttl }: TokenOptions,
): Promise<void> => {
  const issuer = await openLocalIssuer(config);
  if (!issuer)
    throw new OperatorError(
      'the local issuer is off (IDENTITY_LOCAL): tokens come from the configured identity provider',
    );
  if (admin && (uid || email)) throw new OperatorError('--admin stands in place of --uid and --email');
  const user = admin ? localAdmin : { uid, email };
  if (!user.uid) throw new OperatorError('say for whom: --uid UID [--email EMAIL], or --admin');
  const ttlSeconds = Number(ttl);
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > ttlSecondsMax) {
    throw new OperatorError(`--ttl must be a whole number of seconds from 1 to ${ttlSecondsMax}`);
  }
  const token = await issuer.mint({
    uid: user.uid,
    ...(user.email ? { email: user.email, emailVerified: true } : {}),
    ttlSeconds,
  });
  terminal.result({ token, expires_in: ttlSeconds }, [token]);
};
