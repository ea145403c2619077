import type { Problem } from '../api/problem.ts';

/** A sign-in method, as `GET /console/config.json` returns it. */
export type SignInMethod = OidcMethod | FirebaseMethod;

export interface OidcMethod {
  readonly kind: 'oidc' | 'local';
  readonly name: string;
  readonly issuer: string;
  readonly metadata_url: string;
  readonly client_id: string;
  readonly scopes: string;
}

export interface FirebaseMethod {
  readonly kind: 'firebase';
  readonly name: string;
  readonly api_key: string;
  readonly sign_in_url: string;
  readonly token_url: string;
}

export interface Config {
  readonly service: string;
  readonly version: string;
  readonly ways: readonly SignInMethod[];
}

/** Thrown by sign-in methods, with a message for people. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** The issuer cannot be reached: signing in may work later. */
export class IssuerUnavailable extends SignInError {
  constructor() {
    super('The identity provider cannot be reached.');
  }
}

export const messageOf = (error: unknown, fallback: string): string =>
  error instanceof SignInError || (error as Problem | null)?.name === 'Problem' ? (error as Error).message : fallback;
