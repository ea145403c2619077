import type { ApiKey } from '../client.ts';

/** A running service with no data except its first admin, and the operations that tests need in addition to HTTP. */
export interface MatrixService {
  /** `http://host:port` */
  readonly address: string;
  /** An identity token of the first admin. */
  readonly adminToken: string;
  /**
   * Creates an identity token that the service accepts. A negative `ttlSeconds` is the time since the token's expiry.
   */
  readonly mintToken: (
    claims: Partial<TokenClaims> & Pick<TokenClaims, 'uid'> & { readonly groups?: readonly string[] },
    ttlSeconds: number,
  ) => Promise<string>;
  /** Waits for the next second, because tokens are ordered by issue time, in whole seconds. */
  readonly waitForNextSecond: () => Promise<void>;
  /** Creates a valid token from a different enabled issuer for the same subject. */
  readonly mintByOtherIssuer: (claims: TokenClaims) => Promise<string>;
  /** Creates a token from a disabled issuer. */
  readonly mintByDisabledIssuer: (claims: TokenClaims) => Promise<string>;
  /** Binds a profile to the disabled issuer, as if the issuer had previously been enabled. */
  readonly bindToDisabledIssuer: (profileId: string) => Promise<void>;
  /** Changes the expiry of a service account to a time in the past. */
  readonly expireAccount: (accountId: string) => Promise<void>;
  /** Changes the expiry of a profile's grant to a time in the past. */
  readonly expireGrant: (profileId: string, collectionId: string) => Promise<void>;
  /** Changes the expiry of a profile's API key to a time in the past. */
  readonly expireKey: (profileId: string) => Promise<void>;
  /** Adds a dead letter, an email to a profile, as if the job had failed too often. Returns the job's id. */
  readonly addDeadLetter: (profileId: string) => Promise<string>;
  /** Holds a call until it is decided. Returns its id. */
  readonly holdCall: (caller: ApiKey, collectionId: string) => Promise<string>;
  /** Creates a token with these claims that is not signed by the issuer. */
  readonly forgeToken: (claims: TokenClaims) => Promise<string>;
  /** Whether the service is its own identity provider. */
  readonly isIssuer: boolean;
  /** Runs the waiting jobs. */
  readonly runJobs: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface TokenClaims {
  readonly uid: string;
  readonly email: string;
}

export type StartMatrixService = () => Promise<MatrixService>;
