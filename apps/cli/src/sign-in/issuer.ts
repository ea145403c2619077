import { isLoopback } from '@portico/composition';
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  ClientError,
  discovery,
  None,
  ResponseBodyError,
  type Configuration,
} from 'openid-client';
import { OperatorError } from '../terminal.ts';

/** The issuer as this tool's public client sees it. Throws an `OperatorError` if it cannot be discovered. */
export const discoverIssuer = async (issuer: string, clientId: string): Promise<Configuration> => {
  const url = URL.parse(issuer);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe)
    throw new OperatorError(`${issuer} is not an issuer: it must be an https address, or http on loopback`);
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  return discovery(url, clientId, undefined, None(), { execute }).catch(
    asOperatorError(`${issuer} cannot be discovered`),
  );
};

/** The scopes to request: with offline access if the issuer supports it, so that the sign-in can be renewed. */
export const scopesOf = (issuer: Configuration): string =>
  [
    'openid',
    'email',
    ...(issuer.serverMetadata().scopes_supported?.includes('offline_access') ? ['offline_access'] : []),
  ].join(' ');

/** The issuer's code for a refusal (RFC 6749, section 5.2); null for anything else. */
export const errorCodeOf = (error: unknown): string | null =>
  error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? error.error : null;

/** Turns the error of a request to the issuer into a sentence. Never repeats the request. */
export const asOperatorError =
  (context: string) =>
  (error: unknown): never => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${context}: ${whyOf(error)}`);
  };

const whyOf = (error: unknown): string => {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    return error.error_description ? `${error.error}, ${error.error_description}` : error.error;
  }
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? {}) as NodeJS.ErrnoException;
  if (error instanceof ClientError || error instanceof TypeError) return code ?? reason ?? message;
  throw error;
};
