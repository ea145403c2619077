import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import { OperatorError } from '../terminal.ts';
import { throwOperatorError, scopesOf } from './issuer.ts';
import type { OpenPage, Tokens } from './tokens.ts';

const callbackPath = '/callback';

/**
 * Signs in with a browser on this machine: uses an authorization code with PKCE, and a redirect to 127.0.0.1, on a port
 * chosen by the system (RFC 8252, section 7.3).
 */
export const signInByLoopback = async (
  issuer: Configuration,
  openPage: OpenPage,
  timeoutMs: number,
): Promise<Tokens> => {
  const verifier = randomPKCECodeVerifier();
  const [state, nonce] = [randomState(), randomNonce()];
  const callbackServer = await startCallbackServer(state);
  try {
    const page = buildAuthorizationUrl(issuer, {
      redirect_uri: callbackServer.address,
      scope: scopesOf(issuer),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      // Without this prompt, some issuers return no refresh token.
      ...(scopesOf(issuer).includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    await openPage(page.href, `To sign in, open this address in a browser on this machine:\n${page.href}`);
    const { url, response } = await callbackServer.waitForCallback(timeoutMs);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    try {
      const tokens = await authorizationCodeGrant(issuer, url, checks);
      await respond(response, 200, 'You are signed in. You can close this page.');
      return tokens;
    } catch (error) {
      await respond(response, 400, 'The sign-in failed. See the terminal for the reason.');
      return throwOperatorError('the sign-in failed')(error);
    }
  } finally {
    await callbackServer.close();
  }
};

interface Callback {
  readonly url: URL;
  readonly response: ServerResponse;
}

/** Listens for the browser's redirect. Any request that is not part of this sign-in gets a 404. */
const startCallbackServer = async (state: string) => {
  const callback = Promise.withResolvers<Callback>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', address);
    if (request.method === 'GET' && url?.pathname === callbackPath && url.searchParams.get('state') === state)
      callback.resolve({ url, response });
    else void respond(response, 404, 'Not found.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${callbackPath}`;
  return {
    address,
    waitForCallback: async (timeoutMs: number): Promise<Callback> => {
      const timeout = setTimeout(
        () => callback.reject(new OperatorError('the sign-in timed out: run "portico login" again')),
        timeoutMs,
      );
      return callback.promise.finally(() => clearTimeout(timeout));
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Resolves once the response is sent, or the client has disconnected. */
const respond = (response: ServerResponse, status: number, text: string): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', resolve);
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(`${text}\n`);
  });
