import type { Expiry } from '../grants/expiry.ts';
import { type Instant, formatMinute } from '../instant.ts';
import { shortLine } from '../line.ts';
import type { Credentials, RotatedCredentials } from '../profiles/api-key.ts';
import type { RequestStatus } from '../requests/access-request.ts';
import { type Letterhead, type Mail, composeMail, type Part, type Recipient } from './mail.ts';

/** Composes the mail with the credentials of an approved profile. */
export const credentialsMail = (head: Letterhead, to: Recipient, credentials: Credentials): Mail =>
  composeMail(to, head, {
    name: 'credentials',
    subject: 'Your API credentials',
    parts: ['your registration was approved. These are your API credentials:', linesOf(credentials), ...howToUse(head)],
    facts: factsOf(credentials),
  });

/** Composes the mail with the credentials after an administrator has replaced the secret. */
export const rotationMail = (
  head: Letterhead,
  to: Recipient,
  { previousUntil, ...credentials }: RotatedCredentials,
): Mail =>
  composeMail(to, head, {
    name: 'rotation',
    subject: 'Your new API credentials',
    parts: [
      'an administrator has replaced the secret of your API credentials. The new credentials are:',
      linesOf(credentials),
      previousUntil === null
        ? 'Your previous secret no longer works.'
        : `Your previous secret works until ${formatMinute(previousUntil)}.`,
      ...howToUse(head),
    ],
    facts: { ...factsOf(credentials), previous_until: previousUntil === null ? null : formatMinute(previousUntil) },
  });

/** Composes the notice of a rejection, with the reason if there is one. */
export const rejectionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  composeMail(to, head, {
    name: 'rejection',
    subject: 'Your registration was rejected',
    parts: [
      'your registration was reviewed and rejected.',
      ...reasonParts(reason),
      'If you still need access, ask an administrator of your organisation: the rejection can be reversed.',
    ],
    facts: { reason },
  });

export const suspensionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  composeMail(to, head, {
    name: 'suspension',
    subject: 'Your access is suspended',
    parts: [
      'an administrator has suspended your access: neither your sign-in nor your API credentials work until it is resumed. None of your data is lost.',
      ...reasonParts(reason),
      'If you did not expect this, ask an administrator of your organisation.',
    ],
    facts: { reason },
  });

export const resumptionMail = (head: Letterhead, to: Recipient): Mail =>
  composeMail(to, head, {
    name: 'resumption',
    subject: 'Your access is resumed',
    parts: [
      'your access is no longer suspended: your sign-in and your API credentials work again.',
      'You do not need to do anything.',
    ],
    facts: {},
  });

/** The decision about an access request. */
export interface DecidedRequest {
  readonly collection: string;
  readonly status: Exclude<RequestStatus, 'pending' | 'withdrawn'>;
  readonly answer: string | null;
  /** When the access expires; null if it does not, or if no access was granted. */
  readonly expiresAt: Instant | null;
}

export const requestDecidedMail = (
  head: Letterhead,
  to: Recipient,
  { collection, status, answer, expiresAt }: DecidedRequest,
): Mail => {
  const name = shortLine(collection, nameMax);
  const isGranted = status !== 'denied';
  return composeMail(to, head, {
    name: 'request-decided',
    subject: isGranted ? `You have access to ${name}` : `No access to ${name}`,
    parts: isGranted
      ? [
          `you asked for access to "${name}", and have it now${expiresAt === null ? '' : `, until ${formatMinute(expiresAt)}`}.`,
          'Read it with GET /api/collections/{id}; GET /api/catalog lists the collections you may use.',
        ]
      : [
          `you asked for access to "${name}", and an administrator has denied it.`,
          ...reasonParts(answer),
          'You may ask again with POST /api/access/requests.',
        ],
    facts: {
      collection: name,
      status,
      reason: answer,
      expires_at: expiresAt === null ? null : formatMinute(expiresAt),
    },
  });
};

/** Composes the mail about a client's upcoming expiries, earliest first. */
export const expiryMail = (head: Letterhead, to: Recipient, expiries: readonly Expiry[], total: number): Mail =>
  composeMail(to, head, {
    name: 'expiry',
    subject: total === 1 ? 'Part of your access expires soon' : `${total} parts of your access expire soon`,
    parts: [
      'the following will expire soon:',
      expiries.map((expiry) => `${formatMinute(expiry.expiresAt)}  ${describeExpiry(expiry)}`),
      ...moreParts(expiries.length, total),
      'After that, calls that depend on them are rejected. Ask an administrator to extend those you still need.',
    ],
    facts: { total, ends: expiries.map(expiryFacts) },
  });

/** Describes an expiry for mails and templates. */
export const describeExpiry = ({ collection, group }: Expiry): string => {
  if (collection === null) return 'your API credentials';
  const by = group === null ? '' : ` (by the group "${shortLine(group, nameMax)}")`;
  return `access to "${shortLine(collection, nameMax)}"${by}`;
};

export const expiryFacts = ({ collection, group, expiresAt }: Expiry) => ({
  what: collection === null ? 'credentials' : 'access',
  collection,
  group,
  expires_at: formatMinute(expiresAt),
});

export const moreParts = (listed: number, total: number): readonly Part[] =>
  total > listed ? [`… and ${total - listed} more.`] : [];

const howToUse = ({ address }: Letterhead): readonly Part[] => [
  'Send them with each call, as one string, X-API-Key: <client_id>.<client_secret>, or in the two headers X-Client-ID and X-API-Key. GET /api/catalog lists the collections you may use.',
  'The secret is not shown again: store it like a password.',
  ...(address === null ? ['Ask an administrator for the address of the service.'] : []),
];

const linesOf = ({ clientId, secret }: Credentials): readonly string[] => [
  `client_id: ${clientId}`,
  `client_secret: ${secret}`,
];

const factsOf = ({ clientId, secret }: Credentials) => ({ client_id: clientId, client_secret: secret });

/** Returns the paragraphs of a reason: each line break starts one. */
const reasonParts = (reason: string | null): readonly Part[] => (reason ? `Reason: ${reason}`.split(lineBreaks) : []);

const lineBreaks = /[\n\r\u2028\u2029]+/;

/** The maximum length of a displayed name, in UTF-16 units. */
const nameMax = 80;
