/** A running service with no data except its first admin, and what a test needs besides its HTTP address. */
export interface MatrixService {
  /** `http://host:port` */
  readonly address: string;
  /** An identity token of the first admin. */
  readonly adminToken: string;
  /** Makes an identity token that the service accepts; a negative `ttlSeconds`: one that expired that long ago. */
  readonly mintToken: (
    claims: Partial<TokenClaims> & Pick<TokenClaims, 'uid'> & { readonly groups?: readonly string[] },
    ttlSeconds: number,
  ) => Promise<string>;
  /** Lets a second begin: tokens are ordered by the second in which they were issued. */
  readonly nextSecond: () => Promise<void>;
  /** Makes a valid token for the same subject by another enabled issuer. */
  readonly mintElsewhere: (claims: TokenClaims) => Promise<string>;
  /** Makes a token by a disabled issuer. */
  readonly mintByIssuerOff: (claims: TokenClaims) => Promise<string>;
  /** Binds a profile to the disabled issuer, as if it had been enabled before. */
  readonly bindByIssuerOff: (profileId: string) => Promise<void>;
  /** Makes a service account one that expired long ago. */
  readonly expireAccount: (accountId: string) => Promise<void>;
  /** Lets the grant of a profile expire, as if time had passed. */
  readonly expireGrant: (profileId: string, collectionId: string) => Promise<void>;
  /** The same for a profile's API key. */
  readonly expireKey: (profileId: string) => Promise<void>;
  /** Gives up a mail to a profile, as if it had failed too often; returns the job's id. */
  readonly giveUpMail: (profileId: string) => Promise<string>;
  /** Makes a token with the same claims that the issuer did not sign. */
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
