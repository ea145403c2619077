import { generateKeyPairSync, sign } from 'node:crypto';
import {
  isPorticoError,
  PorticoError,
  type Clock,
  type Json,
  type ReportedEmail,
  type TokenVerifier,
} from '@portico/domain';
import { createJwtVerifier, readKeySet } from '@portico/identity';

/** The default `iss` claim. */
export const testIssuer = 'https://id.example.com';
/** The required `aud` claim. */
export const testAudience = 'portico';
/** The audiences of access tokens: an access token must contain one of these. */
export const testAccessAudiences = ['https://portico.example.com/mcp', 'portico-mcp'] as const;

/** The claim that lists groups, if the issuer is configured with one. */
export const testGroupsClaim = 'groups';

export interface TestIssuer extends TokenVerifier {
  /** Mints a token with these claims, valid for an hour by default. */
  mint(
    claims: {
      readonly uid: string;
      readonly email?: string;
      readonly emailVerified?: boolean;
      /** The value of the claim `testGroupsClaim`, which is absent by default. */
      readonly groups?: readonly string[];
      /** The `iss` claim, `testIssuer` by default. */
      readonly issuer?: string;
    },
    ttlSeconds?: number,
  ): string;
  /**
   * Mints a token with exactly these claims, valid or not, signed with the key of all issuers. `type` is the `typ`
   * header, `JWT` by default.
   */
  mintClaims(claims: Record<string, Json>, type?: string): string;
  /** Sets the email address that the issuers report for a user to the bearer of an access token; null for none. */
  report(uid: string, email: ReportedEmail | null): void;
}

// One key per process is enough: issuers are distinguished by `iss`.
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const header = { alg: 'ES256', kid: 'test' };
const keySet = readKeySet(
  JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256', use: 'sig' }] }),
);

/** Creates an issuer that mints tokens, and verifies tokens from `issuers` as the service does, without a provider. */
export const createTestIssuer = ({
  clock,
  issuers = [testIssuer],
  groupsClaim = null,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly issuers?: readonly string[];
  readonly groupsClaim?: string | null;
}): TestIssuer => {
  const keys = { getCurrent: () => keySet, findNewer: async () => null };
  const verifiers = issuers.map((issuer) =>
    createJwtVerifier({
      issuer,
      audience: testAudience,
      accessAudiences: testAccessAudiences,
      groupsClaim,
      clock,
      keys,
    }),
  );
  const reportedEmails = new Map<string, ReportedEmail | null>();
  const mintClaims = (claims: Record<string, Json>, typ = 'JWT'): string => {
    const signingInput = [{ ...header, typ }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signingInput), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signingInput}.${signature.toString('base64url')}`;
  };
  return {
    mint({ uid, email, emailVerified = false, issuer = testIssuer, groups }, ttlSeconds = 3_600) {
      const now = clock.now() / 1_000;
      const exp = now + ttlSeconds;
      const claims = { iss: issuer, aud: testAudience, sub: uid, exp, email_verified: emailVerified };
      return mintClaims({
        ...claims,
        iat: Math.floor(Math.min(now, exp)),
        ...(email === undefined ? {} : { email }),
        ...(groups ? { [testGroupsClaim]: [...groups] } : {}),
      });
    },
    mintClaims,
    report: (uid, email) => void reportedEmails.set(uid, email),
    readUserInfo: async (_token, { issuer, uid }) =>
      issuers.includes(issuer) ? (reportedEmails.get(uid) ?? null) : null,
    async verify(token, use) {
      let lastError: unknown = new PorticoError('invalid_token');
      for (const verifier of verifiers) {
        try {
          return await verifier.verify(token, use);
        } catch (error) {
          if (!isPorticoError(error, 'invalid_token')) throw error;
          lastError = error;
        }
      }
      throw lastError;
    },
  };
};
