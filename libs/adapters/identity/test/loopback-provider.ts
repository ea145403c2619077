import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { onTestFinished } from 'vitest';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  /** The public half of the key, as a provider publishes it. */
  readonly jwk: JWK;
}

export const makeSigningKey = async (kid: string, algorithm = 'RS256'): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { kid, algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } };
};

export const signToken = (
  { algorithm, kid, privateKey }: SigningKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid, typ: 'JWT', ...header }).sign(privateKey);

export type Responder = (response: ServerResponse, request: IncomingMessage) => void;

/** Responds as a provider that is down does. */
export const respondUnavailable: Responder = (response) => {
  response.statusCode = 503;
  response.end();
};

export interface LoopbackProvider {
  readonly issuer: string;
  /** How often each document was requested. */
  readonly requests: { keys: number; discovery: number; userInfo: number };
  /** Rotates the keys: from now on, only these keys are published. */
  publish(...keys: readonly unknown[]): void;
  /** Sets the handler for requests for the key set; null restores the default handler. */
  onKeysRequest(responder: Responder | null): void;
  /** Sets the handler for requests for the discovery document; null restores the default handler. */
  onDiscoveryRequest(responder: Responder | null): void;
  /** Sets the handler for requests about the bearer of a token; initially, each token is refused. */
  onUserInfoRequest(responder: Responder): void;
}

/**
 * Starts an OpenID Connect provider on loopback, which can rotate its keys, lie, hang and fail. It runs until the test
 * ends.
 */
export const startProvider = async (keys: readonly SigningKey[]): Promise<LoopbackProvider> => {
  let publishedKeys: readonly unknown[] = keys.map(({ jwk }) => jwk);
  let keysResponder: Responder | null = null;
  let discoveryResponder: Responder | null = null;
  const requests = { keys: 0, discovery: 0, userInfo: 0 };
  let userInfoResponder: Responder = (response) => {
    response.statusCode = 401;
    response.end();
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') {
      requests.discovery += 1;
      if (discoveryResponder) discoveryResponder(response, request);
      else response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys`, userinfo_endpoint: `${issuer}/me` }));
    } else if (request.url === '/keys') {
      requests.keys += 1;
      if (keysResponder) keysResponder(response, request);
      else response.end(JSON.stringify({ keys: publishedKeys }));
    } else if (request.url === '/me') {
      requests.userInfo += 1;
      userInfoResponder(response, request);
    } else {
      response.statusCode = 404;
      response.end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    requests,
    publish: (...newKeys) => {
      publishedKeys = newKeys;
    },
    onKeysRequest: (responder) => {
      keysResponder = responder;
    },
    onDiscoveryRequest: (responder) => {
      discoveryResponder = responder;
    },
    onUserInfoRequest: (responder) => {
      userInfoResponder = responder;
    },
  };
};
