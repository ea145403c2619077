import type { AuthenticationScheme } from '@portico/domain';

/** Where a call carries its credential, and what stands there. */
export interface SentCredential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

const placeholder = '<credential>';

/**
 * Returns how calls carry the credential, with a placeholder if that is null; null if they need none. A stored
 * `user:password` is encoded as RFC 7617 has it, a stored token keeps no scheme of its own, so that what is returned can
 * be sent as it is.
 */
export const sentCredential = (scheme: AuthenticationScheme, credential: string | null): SentCredential | null => {
  const { type, name, in: place } = scheme;
  const value = credential ?? placeholder;
  switch (type) {
    case 'none':
      return null;
    case 'apiKey':
      return { in: place ?? 'header', name: name ?? '', value };
    case 'bearer':
      return { in: 'header', name: name ?? 'Authorization', value: `Bearer ${value.replace(/^bearer /i, '')}` };
    case 'basic':
      return { in: 'header', name: name ?? 'Authorization', value: `Basic ${basic(value.replace(/^basic /i, ''))}` };
  }
};

/** No base64 contains a colon. */
const basic = (value: string): string => (value.includes(':') ? Buffer.from(value).toString('base64') : value);

/** Says it to a model. */
export const credentialWords = (sent: SentCredential | null, credential: 'shown' | 'stored' | 'absent'): string => {
  if (!sent) return 'Calls need no credential.';
  const [place, separator] = { header: ['header', ': '], query: ['query parameter', '='], cookie: ['cookie', '='] }[
    sent.in
  ] as [string, string];
  const how = `Calls carry the ${place} ${sent.name}${separator}${sent.value}`;
  return `${how}\n${hints[credential]}`;
};

const hints = {
  shown: 'Use the credential for this call only, and show it to nobody.',
  stored: 'This service keeps the credential: get_api with include_credential returns it.',
  absent: 'This service has no credential for it: ask whoever you work for.',
} as const;
