import { toPlainLine } from '../line.ts';
import type { JobId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';

/** The name of every email that the service sends, and of the template that may replace the email. */
export const mailNames = [
  'credentials',
  'rotation',
  'rejection',
  'suspension',
  'resumption',
  'request-decided',
  'call-decided',
  'expiry',
  'waiting',
  'expiries',
] as const;

export type MailName = (typeof mailNames)[number];

/** The data for templates: plain lines, numbers, booleans, and lists of such records. */
export interface MailData {
  readonly [name: string]: string | number | boolean | null | readonly MailData[];
}

export interface Mail {
  /** Remains the same across retries; becomes the local part of the `Message-ID`. */
  readonly id: string;
  /** One email address. */
  readonly to: string;
  /** Sent as one line (`toPlainLine`). */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly name: MailName;
  /** The data of the email, for templates that replace its text. May contain secrets, as the text does. */
  readonly data: MailData;
}

/** The reason why an email or an event was not sent. */
export class DeliveryError extends Error {
  /** Whether a retry would not help. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.permanent = permanent;
  }
}

/**
 * No mail greets its recipient by name: a registrant may enter another person's address and any text as the name, which
 * would read as a statement by the organisation. Text from users appears only inside lines that the service composes.
 */
export type Recipient = Pick<Profile, 'email'>;

/** The parts of an email besides its text and its recipient. */
export interface Letterhead {
  readonly id: JobId;
  /** The URL of the service, without a trailing slash; null if unknown. */
  readonly serviceUrl: string | null;
}

/** A paragraph, or preformatted lines. */
export type Part = string | readonly string[];

export interface MailContent {
  readonly name: MailName;
  readonly subject: string;
  readonly parts: readonly Part[];
  readonly data: MailData;
}

/**
 * Composes an email. Makes every line plain (`toPlainLine`), regardless of the source of its text, and ends with the URLs
 * of the service, if known.
 */
export const composeMail = (
  { email: to }: Recipient,
  { id, serviceUrl }: Letterhead,
  { name, subject, parts: bodyParts, data }: MailContent,
): Mail => {
  const parts = ['Hello,', ...bodyParts, ...(serviceUrl === null ? [] : [linksOf(serviceUrl)])].map((part) =>
    typeof part === 'string' ? toPlainLine(part) : part.map(toPlainLine),
  );
  return {
    id,
    to,
    subject,
    text: parts.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n') + '\n',
    html: `<!doctype html>\n<html><body>\n${parts.map(toHtml).join('\n')}\n</body></html>\n`,
    name,
    data: { email: to, address: serviceUrl, ...toPlainData(data) },
  };
};

/** Returns the console's URL, which is at the root of its host, regardless of the service's path. */
export const consoleUrlOf = (serviceUrl: string): string => {
  const [origin = serviceUrl] = /^https?:\/\/[^/]+/.exec(serviceUrl) ?? [];
  return `${origin}/console/`;
};

const linksOf = (serviceUrl: string): readonly string[] => [
  `service:       ${serviceUrl}`,
  `console:       ${consoleUrlOf(serviceUrl)}`,
  `documentation: ${serviceUrl}/docs`,
];

const toPlainData = (data: MailData): MailData =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, toPlainValue(value)]));

const toPlainValue = (value: MailData[string]): MailData[string] => {
  if (typeof value === 'string') return toPlainLine(value);
  return value instanceof Array ? value.map(toPlainData) : value;
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

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
