import type { AuthenticationScheme } from '@portico/domain';

/** The location and value of the credential in a call. */
export interface SentCredential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

const placeholder = '<credential>';

/**
 * Returns the form in which calls send the credential, with a placeholder if it is null; returns null if calls need
 * none. Encodes a stored `user:password` as specified in RFC 7617, and removes the scheme from a stored token, so that
 * the result can be sent unchanged.
 */
export const toSentCredential = (scheme: AuthenticationScheme, credential: string | null): SentCredential | null => {
  const { type, name, in: location } = scheme;
  const value = credential ?? placeholder;
  switch (type) {
    case 'none':
      return null;
    case 'apiKey':
      return { in: location ?? 'header', name: name ?? '', value };
    case 'bearer':
      return { in: 'header', name: name ?? 'Authorization', value: `Bearer ${value.replace(/^bearer /i, '')}` };
    case 'basic':
      return {
        in: 'header',
        name: name ?? 'Authorization',
        value: `Basic ${encodeBasic(value.replace(/^basic /i, ''))}`,
      };
  }
};

/** Encodes `user:password`. Any other value is already encoded: base64 never contains a colon. */
const encodeBasic = (value: string): string => (value.includes(':') ? Buffer.from(value).toString('base64') : value);

/** Describes the credential to a model. */
export const describeCredential = (
  credentialToSend: SentCredential | null,
  credential: 'shown' | 'stored' | 'absent',
): string => {
  if (!credentialToSend) return 'Calls need no credential.';
  const [location, separator] = { header: ['header', ': '], query: ['query parameter', '='], cookie: ['cookie', '='] }[
    credentialToSend.in
  ] as [string, string];
  const instruction = `Calls send the ${location} ${credentialToSend.name}${separator}${credentialToSend.value}`;
  return `${instruction}\n${hints[credential]}`;
};

const hints = {
  shown: 'Use the credential for this call only, and never show it to anyone.',
  stored: 'This service stores the credential: get_api with include_credential returns it.',
  absent: 'This service has no credential for it: ask the person you work for.',
} as const;
