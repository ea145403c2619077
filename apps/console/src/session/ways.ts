import type { Problem } from '../api/problem.ts';

/** How one can sign in, as `GET /console/config.json` tells it. */
export type Way = OidcWay | FirebaseWay;

export interface OidcWay {
  readonly kind: 'oidc' | 'local';
  readonly name: string;
  readonly issuer: string;
  readonly metadata_url: string;
  readonly client_id: string;
  readonly scopes: string;
}

export interface FirebaseWay {
  readonly kind: 'firebase';
  readonly name: string;
  readonly api_key: string;
  readonly sign_in_url: string;
  readonly token_url: string;
}

export interface Config {
  readonly service: string;
  readonly version: string;
  readonly ways: readonly Way[];
}

/** Thrown by ways of signing in, in words for people. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** The issuer cannot be reached: signing in may work a moment later. */
export class IssuerAway extends SignInError {
  constructor() {
    super('The identity provider cannot be reached.');
  }
}

export const sentenceOf = (error: unknown, fallback: string): string =>
  error instanceof SignInError || (error as Problem | null)?.name === 'Problem' ? (error as Error).message : fallback;
