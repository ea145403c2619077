import { PorticoError } from '../../errors.ts';
import { toShortLine } from '../../line.ts';
import type { ApiCredential } from '../../operations/credentials.ts';
import type { PreparedRequest } from '../../operations/prepare-request.ts';
import { originOf } from '../../operations/origins.ts';
import type { CallCredential, CallCredentials } from '../collections/call-credentials.ts';

/** A credential that a request needs, with the stored one. */
export interface ChosenCredential {
  readonly credential: ApiCredential;
  readonly stored: CallCredential;
  /** The address of the authorization server, for an OAuth client; null for all other credentials. */
  readonly tokenUrl: string | null;
}

/** The maximum length of names in an error, in UTF-16 units. */
const namesMax = 300;

/**
 * Returns the stored credentials of a request, which are those of the first alternative. Throws `no_usable_credential` if
 * one is missing or cannot be sent, and `ambiguous_credential`.
 */
export const chooseCredentials = (
  { credentials, url }: Pick<PreparedRequest, 'credentials' | 'url'>,
  storedCredentials: CallCredentials,
): readonly ChosenCredential[] =>
  credentials.map((credential) => {
    const stored = storedCredentials.open(credential.scheme);
    if (!stored)
      throw createError(credential, 'none is stored for you: an administrator of this catalog can store one');
    if (credential.in === null || credential.name === null)
      throw createError(credential, 'the catalog cannot send this kind of credential: prepare the call instead');
    if (stored.content.kind !== 'client') return { credential, stored, tokenUrl: null };
    const tokenUrl = credential.tokenUrl === null ? null : resolveTokenUrl(credential.tokenUrl, url);
    if (tokenUrl === null)
      throw createError(credential, 'the document names no token URL: an administrator can store an access token');
    return { credential, stored, tokenUrl };
  });

const createError = ({ scheme, hint }: ApiCredential, reason: string): PorticoError =>
  new PorticoError('no_usable_credential', {
    reason: `${toShortLine(scheme ?? hint ?? 'the credential', namesMax)}: ${reason}`,
  });

const resolveTokenUrl = (tokenUrl: string, url: string): string | null =>
  originOf(tokenUrl) === null ? (URL.parse(tokenUrl, url)?.href ?? null) : tokenUrl;

/**
 * Throws `origin_changed` unless each credential may be sent to this origin, and an OAuth client's to its authorization
 * server. A credential is bound to the origins that the API had when it was stored: otherwise, a change of the document
 * could send it elsewhere.
 */
export const rejectForeignOrigins = (credentials: readonly ChosenCredential[], origin: string): void => {
  for (const { stored, tokenUrl } of credentials)
    for (const target of tokenUrl === null ? [origin] : [origin, originOf(tokenUrl)])
      if (target === null || !stored.origins.includes(target))
        throw new PorticoError('origin_changed', {
          reason:
            'the credential was stored for another address: an administrator of this catalog has to confirm the new one',
        });
};

/** A part of every runtime that the domain's library does not declare. */
declare const URL: { parse(url: string, base: string): { readonly href: string } | null };
