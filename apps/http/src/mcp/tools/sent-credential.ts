import { toSentValue, type AuthenticationScheme } from '@portico/domain';

/** Where calls send the credential, after a prefix; null if calls need none. */
export type CredentialPlace = {
  readonly type: 'apiKey' | 'bearer' | 'basic';
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly prefix: string;
} | null;

export const credentialPlaceOf = ({ type, name, in: location }: AuthenticationScheme): CredentialPlace => {
  switch (type) {
    case 'none':
      return null;
    case 'apiKey':
      return { type, in: location ?? 'header', name: name ?? '', prefix: '' };
    case 'bearer':
      return { type, in: 'header', name: name ?? 'Authorization', prefix: 'Bearer ' };
    case 'basic':
      return { type, in: 'header', name: name ?? 'Authorization', prefix: 'Basic ' };
  }
};

/** The location and value of the credential in a call. */
export interface SentCredential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the form in which calls send a stored credential; null if there is none to send. Encodes a stored
 * `user:password` as specified in RFC 7617, and removes the scheme from a stored token, so that the result can be sent
 * unchanged.
 */
export const toSentCredential = (scheme: AuthenticationScheme, credential: string | null): SentCredential | null => {
  const place = credentialPlaceOf(scheme);
  if (!place || credential === null) return null;
  const { type, in: location, name, prefix } = place;
  return { in: location, name, value: `${prefix}${toSentValue(type, credential)}` };
};
