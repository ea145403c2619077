import { openLocalIssuer, type Config } from '@portico/composition';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';

export interface TokenUser {
  readonly uid: string;
  /** The email address, which the token claims to be verified. */
  readonly email?: string | undefined;
  /** The `groups` claim; if absent, the token has no such claim. */
  readonly groups?: readonly string[] | undefined;
}

/** Mints an identity token as the local issuer. Needs only the data folder, not a running service. */
export const mintToken = async (
  config: Config,
  terminal: Terminal,
  { uid, email, groups }: TokenUser,
  ttlSeconds: number,
): Promise<void> => {
  const issuer = await openLocalIssuer(config);
  if (!issuer)
    throw new OperatorError(
      'the local issuer is off (IDENTITY_LOCAL): tokens come from the configured identity provider',
    );
  const token = await issuer
    .mint({ uid, ...(email ? { email, emailVerified: true } : {}), ...(groups ? { groups } : {}), ttlSeconds })
    .catch((error: unknown) => {
      throw error instanceof RangeError ? new OperatorError(error.message, exitCodes.usage) : error;
    });
  terminal.printResult({ token, expires_in: ttlSeconds }, [token]);
};
