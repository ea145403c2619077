import { ErrorResponse } from 'oidc-client-ts';
import { words } from '../words/words.ts';

const text = words.session;

interface AtProvider {
  /** Of this page, as the provider knows it. */
  readonly origin: string;
  readonly clientId: string;
}

/** Why a sign-in did not come to its end, with the setting at the provider; null where there is no one cause. */
export const refusalCause = (error: unknown, { origin, clientId }: AtProvider): string | null => {
  // So `fetch` rejects where the answer lacks the headers of CORS. The provider was there a moment ago.
  if (error instanceof TypeError) return text.originMissing(origin, clientId);
  if (!(error instanceof ErrorResponse)) return null;
  if (error.error === 'access_denied') return text.denied(clientId, error.message);
  // In the address of this page, `unauthorized_client` is about the flow instead.
  const isOfTokenEndpoint = error.form !== undefined;
  return isOfTokenEndpoint && ['invalid_client', 'unauthorized_client'].includes(error.error ?? '')
    ? text.secretWanted(clientId, error.message)
    : null;
};
