import { isLoopback } from '@portico/dependencies';
import { localAudience, localIssuerName, discoveryUrlOf } from '@portico/identity';
import { z } from 'zod';

/** A way to sign in to the console. */
export type SignInWay =
  | {
      /**
       * `oidc`: the authorization code flow with PKCE at the configured issuer; `local`: the same flow at this service.
       */
      readonly kind: 'oidc' | 'local';
      readonly name: string;
      readonly issuer: string;
      /** The URL of the issuer's discovery document; for `local`, a path of this service. */
      readonly metadataUrl: string;
      readonly clientId: string;
      /** The scopes, separated by spaces. */
      readonly scopes: string;
    }
  | {
      /**
       * Signs in with an email address and a password through Firebase's REST API, because the Firebase issuer has no
       * sign-in page.
       */
      readonly kind: 'firebase';
      readonly name: string;
      /** Identifies the project to Firebase. Google publishes it in every web application, so it is not a secret. */
      readonly apiKey: string;
      readonly signInUrl: string;
      readonly tokenUrl: string;
    };

/** An OAuth client id (RFC 6749, appendix A.1), without spaces. */
export const consoleClientId = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'a client id without spaces');

/** Whether each name is a scope (RFC 6749, section 3.3). */
const areScopes = (names: readonly string[]): boolean =>
  names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name));

const scopeList = z
  .string()
  .max(1_000, 'at most 1000 characters')
  .transform((text) => text.trim().split(/ +/));

/** Without `openid` there is no ID token (OpenID Connect Core 1.0, section 3.1.2.1). */
export const consoleScopes = scopeList
  .refine(
    (scopes) => areScopes(scopes) && scopes.includes('openid'),
    'scopes separated by spaces, including openid, such as openid email profile',
  )
  .transform((scopes) => scopes.join(' '));

/** The scopes that MCP clients request. Not every provider has `openid` for access tokens. */
export const mcpScopes = scopeList.refine(areScopes, 'scopes separated by spaces, such as openid email profile');

export const firebaseApiKey = z.string().regex(/^[\w-]{1,200}$/, 'the Web API key of a Firebase project');

/** The address of the Firebase emulator, which must be on loopback because passwords are sent to it over plain HTTP. */
export const emulatorHost = z.string().refine((text) => {
  const url = URL.parse(`http://${text}`);
  return url !== null && url.host === text.toLowerCase() && url.port !== '' && isLoopback(url.hostname);
}, 'HOST:PORT on loopback, such as 127.0.0.1:9099');

interface SignInVariables {
  readonly NODE_ENV: string;
  readonly IDENTITY_ISSUER?: string | undefined;
  readonly IDENTITY_AUDIENCE?: readonly string[] | undefined;
  readonly IDENTITY_CONSOLE_CLIENT_ID?: string | undefined;
  readonly IDENTITY_CONSOLE_SCOPES: string;
  readonly IDENTITY_FIREBASE_API_KEY?: string | undefined;
  readonly FIREBASE_AUTH_EMULATOR_HOST?: string | undefined;
}

const firebaseIssuer = /^https:\/\/securetoken\.google\.com\/[\w-]+$/;

export const findSignInContradictions = (variables: SignInVariables): readonly (readonly [boolean, string])[] => [
  [
    !!variables.IDENTITY_CONSOLE_CLIENT_ID && !variables.IDENTITY_ISSUER,
    'IDENTITY_ISSUER is missing: required with IDENTITY_CONSOLE_CLIENT_ID',
  ],
  [
    !!variables.IDENTITY_FIREBASE_API_KEY &&
      !(
        variables.IDENTITY_ISSUER &&
        (variables.FIREBASE_AUTH_EMULATOR_HOST || firebaseIssuer.test(variables.IDENTITY_ISSUER))
      ),
    'IDENTITY_FIREBASE_API_KEY needs IDENTITY_ISSUER=https://securetoken.google.com/PROJECT, with the project of the key',
  ],
  [
    !!variables.IDENTITY_FIREBASE_API_KEY && !!variables.IDENTITY_CONSOLE_CLIENT_ID,
    'IDENTITY_CONSOLE_CLIENT_ID and IDENTITY_FIREBASE_API_KEY are both set: Firebase has no clients, so set one of them',
  ],
  [
    !!variables.FIREBASE_AUTH_EMULATOR_HOST && variables.NODE_ENV === 'production',
    'FIREBASE_AUTH_EMULATOR_HOST is not for production: passwords would go to an emulator, over plain http',
  ],
];

/** Returns the ways to sign in that these variables enable; the first is the default. */
export const signInWaysOf = (variables: SignInVariables, usesLocalIssuer: boolean): readonly SignInWay[] => [
  ...(variables.IDENTITY_ISSUER ? [signInWayOfIssuer(variables, variables.IDENTITY_ISSUER)] : []),
  ...(usesLocalIssuer ? [localSignInWay] : []),
];

const signInWayOfIssuer = (variables: SignInVariables, issuer: string): SignInWay =>
  variables.IDENTITY_FIREBASE_API_KEY
    ? createFirebaseSignInWay(variables.IDENTITY_FIREBASE_API_KEY, variables.FIREBASE_AUTH_EMULATOR_HOST)
    : {
        kind: 'oidc',
        name: new URL(issuer).host,
        issuer,
        metadataUrl: discoveryUrlOf(issuer),
        clientId: variables.IDENTITY_CONSOLE_CLIENT_ID ?? variables.IDENTITY_AUDIENCE?.[0] ?? '',
        scopes: variables.IDENTITY_CONSOLE_SCOPES,
      };

/** Returns the way to sign in with Firebase. The paths of an emulator start with Google's host names. */
const createFirebaseSignInWay = (apiKey: string, emulator: string | undefined): SignInWay => {
  const prefix = emulator === undefined ? 'https://' : `http://${emulator}/`;
  return {
    kind: 'firebase',
    name: 'Firebase',
    apiKey,
    signInUrl: `${prefix}identitytoolkit.googleapis.com/v1/accounts:signInWithPassword`,
    tokenUrl: `${prefix}securetoken.googleapis.com/v1/token`,
  };
};

const localSignInWay: SignInWay = {
  kind: 'local',
  name: 'one-time code',
  issuer: localIssuerName,
  metadataUrl: '/local-issuer/.well-known/openid-configuration',
  clientId: localAudience,
  scopes: 'openid email',
};
