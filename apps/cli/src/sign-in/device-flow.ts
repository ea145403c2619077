import { initiateDeviceAuthorization, pollDeviceAuthorizationGrant, type Configuration } from 'openid-client';
import { OperatorError } from '../terminal.ts';
import { throwOperatorError, errorCodeOf, scopesOf } from './issuer.ts';
import type { OpenPage, Tokens } from './tokens.ts';

/** The error codes for a client that may not use this flow; they differ between issuers. */
const unsupportedForClient: readonly (string | null)[] = ['unauthorized_client', 'invalid_request'];

/**
 * Signs in on any device that has a browser (RFC 8628). Returns null if the issuer does not allow this flow for this
 * client.
 */
export const signInByDevice = async (issuer: Configuration, openPage: OpenPage): Promise<Tokens | null> => {
  const authorization = await initiateDeviceAuthorization(issuer, { scope: scopesOf(issuer) }).catch(
    (error: unknown) => {
      if (unsupportedForClient.includes(errorCodeOf(error))) return null;
      return throwOperatorError('the issuer rejected the sign-in')(error);
    },
  );
  if (!authorization) return null;
  const { verification_uri: page, verification_uri_complete: completeUrl, user_code: code } = authorization;
  await openPage(completeUrl ?? page, `To sign in, open ${page} on any device and enter the code ${code}`);
  return pollDeviceAuthorizationGrant(issuer, authorization).catch((error: unknown) => {
    if (errorCodeOf(error) === 'access_denied') throw new OperatorError('the sign-in was denied');
    if (errorCodeOf(error) === 'expired_token' || (error as Error).name === 'TimeoutError')
      throw new OperatorError('the sign-in timed out: run "portico login" again');
    return throwOperatorError('the issuer rejected the sign-in')(error);
  });
};
