/** A running service without data but for its first admin, and what a test needs beside its HTTP address. */
export interface MatrixService {
  /** `http://host:port` */
  readonly address: string;
  /** An identity token of the first admin. */
  readonly adminToken: string;
  /** An identity token that the service takes; `ttlSeconds` below zero: one that expired so long ago. */
  readonly mintToken: (claims: TokenClaims, ttlSeconds: number) => Promise<string>;
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
