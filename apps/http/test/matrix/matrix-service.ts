/** A running service without data but for its first admin, and what a test needs beside its HTTP address. */
export interface MatrixService {
  /** `http://host:port` */
  readonly address: string;
  /** An identity token of the first admin. */
  readonly adminToken: string;
  /** An identity token that the service takes; `ttlSeconds` below zero: one that expired so long ago. */
  readonly mintToken: (claims: Partial<TokenClaims> & Pick<TokenClaims, 'uid'>, ttlSeconds: number) => Promise<string>;
  /** A good token of the same subject by another issuer that is on. */
  readonly mintElsewhere: (claims: TokenClaims) => Promise<string>;
  /** A token by an issuer that is off. */
  readonly mintByIssuerOff: (claims: TokenClaims) => Promise<string>;
  /** Makes a profile one that the issuer which is off has bound, as if that had been on before. */
  readonly bindByIssuerOff: (profileId: string) => Promise<void>;
  /** A token that says the same but was made by someone else. */
  readonly forgeToken: (claims: TokenClaims) => Promise<string>;
  /** Whether the service is its own identity provider. */
  readonly isIssuer: boolean;
  /** Works the jobs that wait. */
  readonly runJobs: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface TokenClaims {
  readonly uid: string;
  readonly email: string;
}

export type StartMatrixService = () => Promise<MatrixService>;
