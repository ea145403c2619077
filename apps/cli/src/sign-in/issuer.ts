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

/** Returns the issuer's configuration for this tool's public client. Throws an `OperatorError` if discovery fails. */
export const discoverIssuer = async (issuer: string, clientId: string): Promise<Configuration> => {
  const url = URL.parse(issuer);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe)
    throw new OperatorError(`${issuer} is not an issuer: it must be an https URL, or http on loopback`);
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  return discovery(url, clientId, undefined, None(), { execute }).catch(
    throwOperatorError(`${issuer} cannot be discovered`),
  );
};

/**
 * Returns the scopes to request, including offline access if the issuer supports it, so that the sign-in can be
 * renewed.
 */
export const scopesOf = (issuer: Configuration): string =>
  [
    'openid',
    'email',
    ...(issuer.serverMetadata().scopes_supported?.includes('offline_access') ? ['offline_access'] : []),
  ].join(' ');

/** Returns the issuer's error code (RFC 6749, section 5.2); null for any other error. */
export const errorCodeOf = (error: unknown): string | null =>
  error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? error.error : null;

/** Throws an `OperatorError` that describes a failed request to the issuer. Never quotes the request. */
export const throwOperatorError =
  (context: string) =>
  (error: unknown): never => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${context}: ${reasonOf(error)}`);
  };

const reasonOf = (error: unknown): string => {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    return error.error_description ? `${error.error}, ${error.error_description}` : error.error;
  }
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? {}) as NodeJS.ErrnoException;
  if (error instanceof ClientError || error instanceof TypeError) return code ?? reason ?? message;
  throw error;
};
