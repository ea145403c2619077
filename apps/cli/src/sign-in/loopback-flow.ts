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
import { asOperatorError, scopesOf } from './issuer.ts';
import type { OpenPage, Tokens } from './tokens.ts';

const callbackPath = '/callback';

/**
 * Signs in with a browser on this machine: authorization code with PKCE, redirected to a port of 127.0.0.1 that the
 * system chooses (RFC 8252, section 7.3).
 */
export const signInByLoopback = async (issuer: Configuration, open: OpenPage, patienceMs: number): Promise<Tokens> => {
  const verifier = randomPKCECodeVerifier();
  const [state, nonce] = [randomState(), randomNonce()];
  const landing = await startLanding(state);
  try {
    const page = buildAuthorizationUrl(issuer, {
      redirect_uri: landing.address,
      scope: scopesOf(issuer),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      // Without it, some issuers give no refresh token.
      ...(scopesOf(issuer).includes('offline_access') ? { prompt: 'consent' } : {}),
    });
    await open(page.href, `To sign in, open this address in a browser on this machine:\n${page.href}`);
    const { url, response } = await landing.arrived(patienceMs);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    try {
      const tokens = await authorizationCodeGrant(issuer, url, checks);
      await answer(response, 200, 'You are signed in. You can close this page.');
      return tokens;
    } catch (error) {
      await answer(response, 400, 'The sign-in failed. The tool says why.');
      return asOperatorError('the sign-in failed')(error);
    }
  } finally {
    await landing.close();
  }
};

interface Arrived {
  readonly url: URL;
  readonly response: ServerResponse;
}

/** Listens where the browser is sent to. Anything but an answer to this sign-in is refused, and waited on. */
const startLanding = async (state: string) => {
  const landed = Promise.withResolvers<Arrived>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', address);
    if (request.method === 'GET' && url?.pathname === callbackPath && url.searchParams.get('state') === state)
      landed.resolve({ url, response });
    else void answer(response, 404, 'Nothing is here.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${callbackPath}`;
  return {
    address,
    arrived: async (patienceMs: number): Promise<Arrived> => {
      const late = setTimeout(
        () => landed.reject(new OperatorError('nobody signed in in time: run "portico login" again')),
        patienceMs,
      );
      return landed.promise.finally(() => clearTimeout(late));
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Resolves once it is sent, or nobody is there to read it. */
const answer = (response: ServerResponse, status: number, text: string): Promise<void> =>
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
