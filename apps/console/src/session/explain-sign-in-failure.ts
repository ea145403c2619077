import { ErrorResponse } from 'oidc-client-ts';
import { words } from '../words/words.ts';

const text = words.session;

interface ClientAtProvider {
  /** The origin of this page, as registered with the provider. */
  readonly origin: string;
  readonly clientId: string;
}

/** Returns why a sign-in failed, including the setting to check at the provider; null if the cause is not certain. */
export const explainSignInFailure = (error: unknown, { origin, clientId }: ClientAtProvider): string | null => {
  // `fetch` rejects like this if the response has no CORS headers. The provider was reachable a moment ago.
  if (error instanceof TypeError) return text.originMissing(origin, clientId);
  if (!(error instanceof ErrorResponse)) return null;
  if (error.error === 'access_denied') return text.denied(clientId, error.message);
  // In this page's URL, `unauthorized_client` refers to the flow instead.
  const isFromTokenEndpoint = error.form !== undefined;
  return isFromTokenEndpoint && ['invalid_client', 'unauthorized_client'].includes(error.error ?? '')
    ? text.secretRequired(clientId, error.message)
    : null;
};
