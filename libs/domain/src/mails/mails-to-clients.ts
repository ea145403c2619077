import type { ListedCall } from '../calls/pending-call.ts';
import type { Expiry } from '../grants/expiry.ts';
import { type Instant, formatMinute } from '../instant.ts';
import { toShortLine } from '../line.ts';
import type { Credentials, RotatedCredentials } from '../profiles/api-key.ts';
import type { RequestStatus } from '../requests/access-request.ts';
import { type Letterhead, type Mail, composeMail, type Part, type Recipient } from './mail.ts';

/** Composes the email with the credentials of an approved profile. */
export const composeCredentialsMail = (head: Letterhead, to: Recipient, credentials: Credentials): Mail =>
  composeMail(to, head, {
    name: 'credentials',
    subject: 'Your API credentials',
    parts: [
      'your registration was approved. These are your API credentials:',
      linesOf(credentials),
      ...usageInstructionsFor(head),
    ],
    data: credentialsDataOf(credentials),
  });

/** Composes the email with the credentials after an administrator has replaced the secret. */
export const composeRotationMail = (
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
      ...usageInstructionsFor(head),
    ],
    data: {
      ...credentialsDataOf(credentials),
      previous_until: previousUntil === null ? null : formatMinute(previousUntil),
    },
  });

/** Composes the notice of a rejection, with the reason if there is one. */
export const composeRejectionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  composeMail(to, head, {
    name: 'rejection',
    subject: 'Your registration was rejected',
    parts: [
      'your registration was reviewed and rejected.',
      ...reasonPartsOf(reason),
      'If you still need access, ask an administrator of your organisation: the rejection can be reversed.',
    ],
    data: { reason },
  });

export const composeSuspensionMail = (head: Letterhead, to: Recipient, reason: string | null): Mail =>
  composeMail(to, head, {
    name: 'suspension',
    subject: 'Your access is suspended',
    parts: [
      'an administrator has suspended your access: neither your sign-in nor your API credentials work until it is resumed. None of your data is lost.',
      ...reasonPartsOf(reason),
      'If you did not expect this, ask an administrator of your organisation.',
    ],
    data: { reason },
  });

export const composeResumptionMail = (head: Letterhead, to: Recipient): Mail =>
  composeMail(to, head, {
    name: 'resumption',
    subject: 'Your access is resumed',
    parts: [
      'your access is no longer suspended: your sign-in and your API credentials work again.',
      'You do not need to do anything.',
    ],
    data: {},
  });

/** The decision about an access request. */
export interface DecidedRequest {
  readonly collection: string;
  readonly status: Exclude<RequestStatus, 'pending' | 'withdrawn'>;
  readonly answer: string | null;
  /** When the access expires; null if it does not, or if no access was granted. */
  readonly expiresAt: Instant | null;
}

export const composeRequestDecidedMail = (
  head: Letterhead,
  to: Recipient,
  { collection, status, answer, expiresAt }: DecidedRequest,
): Mail => {
  const name = toShortLine(collection, nameMax);
  const isGranted = status !== 'denied';
  return composeMail(to, head, {
    name: 'request-decided',
    subject: isGranted ? `You have access to ${name}` : `No access to ${name}`,
    parts: isGranted
      ? [
          `you asked for access to "${name}", and now have it${expiresAt === null ? '' : `, until ${formatMinute(expiresAt)}`}.`,
          'Read it with GET /api/collections/{id}; GET /api/catalog lists the collections you may use.',
        ]
      : [
          `you asked for access to "${name}", and an administrator has denied it.`,
          ...reasonPartsOf(answer),
          'You may ask again with POST /api/access/requests.',
        ],
    data: {
      collection: name,
      status,
      reason: answer,
      expires_at: expiresAt === null ? null : formatMinute(expiresAt),
    },
  });
};

/** The decision about a call. */
export interface DecidedCall extends Pick<ListedCall, 'id' | 'method' | 'path' | 'reason' | 'expiresAt'> {
  readonly collection: string;
  readonly status: 'approved' | 'denied';
}

/** Composes the email about the decision on a call, without the call's arguments. */
export const composeCallDecidedMail = (
  head: Letterhead,
  to: Recipient,
  { id, method, path, collection, status, reason, expiresAt }: DecidedCall,
): Mail => {
  const name = toShortLine(collection, nameMax);
  const call = `${method} ${toShortLine(path, pathMax)}`;
  const isApproved = status === 'approved';
  return composeMail(to, head, {
    name: 'call-decided',
    subject: isApproved ? `Your call to ${name} is approved` : `Your call to ${name} is denied`,
    parts: isApproved
      ? [
          `you asked to call ${call} of "${name}", and an administrator has approved it.`,
          `Repeat the call once, with the same arguments and "call_id": "${id}", before ${formatMinute(expiresAt)}.`,
        ]
      : [
          `you asked to call ${call} of "${name}", and an administrator has denied it.`,
          ...reasonPartsOf(reason),
          'The arguments of the call were deleted.',
        ],
    data: {
      call_id: id,
      collection: name,
      method,
      path,
      status,
      reason,
      expires_at: isApproved ? formatMinute(expiresAt) : null,
    },
  });
};

/** Composes the email about a client's upcoming expiries, earliest first. */
export const composeExpiryMail = (head: Letterhead, to: Recipient, expiries: readonly Expiry[], total: number): Mail =>
  composeMail(to, head, {
    name: 'expiry',
    subject: total === 1 ? 'Part of your access expires soon' : `${total} parts of your access expire soon`,
    parts: [
      'the following will expire soon:',
      expiries.map((expiry) => `${formatMinute(expiry.expiresAt)}  ${describeExpiry(expiry)}`),
      ...remainderNoteFor(expiries.length, total),
      'After that, calls that depend on them are rejected. Ask an administrator to extend those you still need.',
    ],
    data: { total, ends: expiries.map(expiryDataOf) },
  });

/** Describes an expiry for emails and templates. */
export const describeExpiry = ({ collection, group }: Expiry): string => {
  if (collection === null) return 'your API credentials';
  const viaGroup = group === null ? '' : ` (through the group "${toShortLine(group, nameMax)}")`;
  return `access to "${toShortLine(collection, nameMax)}"${viaGroup}`;
};

export const expiryDataOf = ({ collection, group, expiresAt }: Expiry) => ({
  what: collection === null ? 'credentials' : 'access',
  collection,
  group,
  expires_at: formatMinute(expiresAt),
});

export const remainderNoteFor = (listedCount: number, total: number): readonly Part[] =>
  total > listedCount ? [`… and ${total - listedCount} more.`] : [];

const usageInstructionsFor = ({ serviceUrl }: Letterhead): readonly Part[] => [
  'Send them with each call, as one string, X-API-Key: <client_id>.<client_secret>, or in the two headers X-Client-ID and X-API-Key. GET /api/catalog lists the collections you may use.',
  'The secret is not shown again: store it like a password.',
  ...(serviceUrl === null ? ['Ask an administrator for the URL of the service.'] : []),
];

const linesOf = ({ clientId, secret }: Credentials): readonly string[] => [
  `client_id: ${clientId}`,
  `client_secret: ${secret}`,
];

const credentialsDataOf = ({ clientId, secret }: Credentials) => ({ client_id: clientId, client_secret: secret });

/** Returns the paragraphs of a reason: each line break starts one. */
const reasonPartsOf = (reason: string | null): readonly Part[] => (reason ? `Reason: ${reason}`.split(lineBreaks) : []);

const lineBreaks = /[\n\r\u2028\u2029]+/;

/** The maximum lengths of a displayed name and path, in UTF-16 units. */
const [nameMax, pathMax] = [80, 200];
