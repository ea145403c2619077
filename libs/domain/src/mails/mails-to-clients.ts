import type { Expiry } from '../grants/expiry.ts';
import { type Instant, minuteOf } from '../instant.ts';
import { shortLine } from '../line.ts';
import type { Credentials, RotatedCredentials } from '../profiles/api-key.ts';
import type { RequestStatus } from '../requests/access-request.ts';
import { type Letterhead, type Mail, mailTo, type Part, type Recipient } from './mail.ts';

/** The mail with the credentials of an approved profile. */
export const credentialsMail = (head: Letterhead, to: Recipient, credentials: Credentials): Mail =>
  mailTo(to, head, {
    name: 'credentials',
    subject: 'Your API credentials',
    parts: ['your registration was approved. These are your API credentials:', linesOf(credentials), ...howToUse(head)],
    facts: factsOf(credentials),
  });

/** The mail with credentials whose secret an administrator has replaced. */
export const rotationMail = (
  head: Letterhead,
  to: Recipient,
  { previousUntil, ...credentials }: RotatedCredentials,
): Mail =>
  mailTo(to, head, {
    name: 'rotation',
    subject: 'Your new API credentials',
    parts: [
      'an administrator has replaced the secret of your API credentials. The new credentials are:',
      linesOf(credentials),
      previousUntil === null
        ? 'Your previous secret no longer works.'
        : `Your previous secret works until ${minuteOf(previousUntil)}.`,
      ...howToUse(head),
    ],
    facts: { ...factsOf(credentials), previous_until: previousUntil === null ? null : minuteOf(previousUntil) },
  });

/** The notice of a rejection, with the reason if there is one. */
export const rejectionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  mailTo(to, head, {
    name: 'rejection',
    subject: 'Your registration was rejected',
    parts: [
      'your registration was reviewed and rejected.',
      ...reasonParts(reason),
      'If you need access all the same, ask an administrator of your organisation: the rejection can be taken back.',
    ],
    facts: { reason },
  });

export const suspensionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  mailTo(to, head, {
    name: 'suspension',
    subject: 'Your access is suspended',
    parts: [
      'an administrator has suspended your access: neither your sign-in nor your API credentials work until it is resumed. Nothing of yours is lost.',
      ...reasonParts(reason),
      'If you did not expect this, ask an administrator of your organisation.',
    ],
    facts: { reason },
  });

export const resumptionMail = (head: Letterhead, to: Recipient): Mail =>
  mailTo(to, head, {
    name: 'resumption',
    subject: 'Your access is resumed',
    parts: [
      'your access is no longer suspended: your sign-in and your API credentials work again.',
      'There is nothing you have to do: go on as before.',
    ],
    facts: {},
  });

/** What became of a request for access. */
export interface DecidedRequest {
  readonly collection: string;
  readonly status: Exclude<RequestStatus, 'pending' | 'withdrawn'>;
  readonly answer: string | null;
  /** Until when the access lasts; null if it has no end, or none was given. */
  readonly expiresAt: Instant | null;
}

export const requestDecidedMail = (
  head: Letterhead,
  to: Recipient,
  { collection, status, answer, expiresAt }: DecidedRequest,
): Mail => {
  const name = shortLine(collection, nameMax);
  const isGiven = status !== 'denied';
  return mailTo(to, head, {
    name: 'request-decided',
    subject: isGiven ? `You have access to ${name}` : `No access to ${name}`,
    parts: isGiven
      ? [
          `you asked for access to "${name}", and have it now${expiresAt === null ? '' : `, until ${minuteOf(expiresAt)}`}.`,
          'Read it with GET /api/collections/{id}; GET /api/catalog lists what you may use.',
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
      expires_at: expiresAt === null ? null : minuteOf(expiresAt),
    },
  });
};

/** What of a client ends soon, the first to end first. */
export const expiryMail = (head: Letterhead, to: Recipient, ends: readonly Expiry[], total: number): Mail =>
  mailTo(to, head, {
    name: 'expiry',
    subject: total === 1 ? 'Something of yours ends soon' : `${total} things of yours end soon`,
    parts: [
      'these end soon:',
      ends.map((end) => `${minuteOf(end.expiresAt)}  ${nameOfEnd(end)}`),
      ...moreParts(ends.length, total),
      'After that, calls with them are refused. Ask an administrator to extend what you still need.',
    ],
    facts: { total, ends: ends.map(endFacts) },
  });

/** An end as mails and templates name it. */
export const nameOfEnd = ({ collection, group }: Expiry): string => {
  if (collection === null) return 'your API credentials';
  const by = group === null ? '' : ` (by the group "${shortLine(group, nameMax)}")`;
  return `access to "${shortLine(collection, nameMax)}"${by}`;
};

export const endFacts = ({ collection, group, expiresAt }: Expiry) => ({
  what: collection === null ? 'credentials' : 'access',
  collection,
  group,
  expires_at: minuteOf(expiresAt),
});

export const moreParts = (shown: number, total: number): readonly Part[] =>
  total > shown ? [`… and ${total - shown} more.`] : [];

const howToUse = ({ address }: Letterhead): readonly Part[] => [
  'Send them with each call, as one string, X-API-Key: <client_id>.<client_secret>, or in the two headers X-Client-ID and X-API-Key. GET /api/catalog lists what you may use.',
  'The secret is not shown again: store it like a password.',
  ...(address === null ? ['An administrator can tell you the address of the service.'] : []),
];

const linesOf = ({ clientId, secret }: Credentials): readonly string[] => [
  `client_id: ${clientId}`,
  `client_secret: ${secret}`,
];

const factsOf = ({ clientId, secret }: Credentials) => ({ client_id: clientId, client_secret: secret });

/** Each line break begins a paragraph. */
const reasonParts = (reason: string | null): readonly Part[] => (reason ? `Reason: ${reason}`.split(lineBreaks) : []);

const lineBreaks = /[\n\r\u2028\u2029]+/;

/** How much of a name is shown, in UTF-16 units. */
const nameMax = 80;
