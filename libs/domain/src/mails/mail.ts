import type { JobId } from '../ids.ts';
import { type Instant, toIso } from '../instant.ts';
import { plainLine, shortLine } from '../line.ts';
import type { Credentials, RotatedCredentials } from '../profiles/api-key.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';

export interface Mail {
  /** Stays the same over retries; becomes the local part of the `Message-ID`. */
  readonly id: string;
  /** One e-mail address. */
  readonly to: string;
  /** Sent as one line (`plainLine`). */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Why a mail did not go out. */
export class DeliveryError extends Error {
  /** Whether a retry cannot help. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.permanent = permanent;
  }
}

/** The minimum time between two notices to one admin. */
export const noticeRestMs = 300_000;

/**
 * No mail greets its recipient by name: a registrant may give somebody else's address and any text as the name, which
 * would read as the organisation's words. Text from users appears only inside lines that the service composes.
 */
type Recipient = Pick<Profile, 'email'>;

/** The mail with the credentials of an approved profile. */
export const credentialsMail = (id: JobId, { email }: Recipient, credentials: Credentials): Mail =>
  mail(id, email, 'Your API credentials', [
    'your registration was approved. These are your API credentials:',
    linesOf(credentials),
    howToUse,
  ]);

/** The mail with credentials whose secret an administrator has replaced. */
export const rotationMail = (
  id: JobId,
  { email }: Recipient,
  { previousUntil, ...credentials }: RotatedCredentials,
): Mail =>
  mail(id, email, 'Your new API credentials', [
    'an administrator has replaced the secret of your API credentials. The new credentials are:',
    linesOf(credentials),
    previousUntil === null
      ? 'Your previous secret no longer works.'
      : `Your previous secret works until ${timeOf(previousUntil)}.`,
    howToUse,
  ]);

/** The notice of a rejection, with the reason if there is one. */
export const rejectionMail = (id: JobId, { email }: Recipient, reason: string | null): Mail =>
  mail(id, email, 'Your registration was rejected', [
    'your registration was reviewed and rejected.',
    ...(reason ? `Reason: ${reason}`.split(lineBreaks) : []),
  ]);

/** The notice to an admin that profiles are waiting, the newest of them by name. */
export const registrationNotice = (id: JobId, { email }: Recipient, { total, newest }: PendingProfiles): Mail =>
  mail(id, email, total === 1 ? 'Registration waiting for approval' : `${total} registrations waiting for approval`, [
    `${total === 1 ? 'a registration is waiting' : `${total} registrations are waiting`} for an administrator's decision${
      total > newest.length ? `; these are the newest ${newest.length}` : ''
    }:`,
    newest.map(registrationLine),
    'Names and addresses are as they were typed: nobody has checked them.',
    [
      'approve:  POST /api/profiles/{id}/approve',
      'reject:   POST /api/profiles/{id}/reject',
      'list all: GET /api/profiles/',
    ],
    `The next notice comes in ${noticeRestMs / 60_000} minutes at the earliest, and only if somebody has registered by then.`,
  ]);

const howToUse =
  'Send them in the headers X-Client-ID and X-API-Key. The secret is not shown again: store it like a password.';

const linesOf = ({ clientId, secret }: Credentials): readonly string[] => [
  `client_id: ${clientId}`,
  `client_secret: ${secret}`,
];

const registrationLine = ({ id, email, fullName, companyName, createdAt }: Profile): string => {
  const company = companyName === null ? '' : `, "${shortLine(companyName, shownMax)}"`;
  return `${timeOf(createdAt)}  ${id}  ${shortLine(email, emailMax)}  "${shortLine(fullName, shownMax)}"${company}`;
};

/** How much of a name is shown, in UTF-16 units: enough to recognise it. An address is shown whole. */
const [shownMax, emailMax] = [80, 254];

const timeOf = (instant: Instant): string => `${toIso(instant).slice(0, 16).replace('T', ' ')} UTC`;

/** A paragraph, or lines that are kept as they are. */
type Part = string | readonly string[];

const lineBreaks = /[\n\r\u2028\u2029]+/;

/** Makes every line plain (`plainLine`), wherever its words come from. */
const mail = (id: JobId, to: string, subject: string, written: readonly Part[]): Mail => {
  const parts = ['Hello,', ...written].map((part) =>
    typeof part === 'string' ? plainLine(part) : part.map(plainLine),
  );
  return {
    id,
    to,
    subject,
    text: parts.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n') + '\n',
    html: `<!doctype html>\n<html><body>\n${parts.map(toHtml).join('\n')}\n</body></html>\n`,
  };
};

const toHtml = (part: Part): string =>
  typeof part === 'string' ? `<p>${escapeHtml(part)}</p>` : `<pre>${escapeHtml(part.join('\n'))}</pre>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
