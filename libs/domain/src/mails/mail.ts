import { plainLine } from '../line.ts';
import type { JobId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';

/** The name of every mail that the service sends, and of the template that may replace the mail. */
export const mailNames = [
  'credentials',
  'rotation',
  'rejection',
  'suspension',
  'resumption',
  'request-decided',
  'expiry',
  'waiting',
  'expiries',
] as const;

export type MailName = (typeof mailNames)[number];

/** The data for templates: plain lines, numbers, booleans, and lists of such records. */
export interface MailFacts {
  readonly [name: string]: string | number | boolean | null | readonly MailFacts[];
}

export interface Mail {
  /** Remains the same across retries; becomes the local part of the `Message-ID`. */
  readonly id: string;
  /** One e-mail address. */
  readonly to: string;
  /** Sent as one line (`plainLine`). */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly name: MailName;
  /** The data of the mail, for templates that replace its text. May contain secrets, as the text does. */
  readonly facts: MailFacts;
}

/** The reason why a mail was not sent. */
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

/** The parts of a mail besides its text and its recipient. */
export interface Letterhead {
  readonly id: JobId;
  /** The URL of the service, without a trailing slash; null if unknown. */
  readonly address: string | null;
}

/** A paragraph, or preformatted lines. */
export type Part = string | readonly string[];

export interface MailContent {
  readonly name: MailName;
  readonly subject: string;
  readonly parts: readonly Part[];
  readonly facts: MailFacts;
}

/**
 * Composes a mail. Makes every line plain (`plainLine`), regardless of the source of its text, and ends with the URLs
 * of the service, if known.
 */
export const composeMail = (
  { email: to }: Recipient,
  { id, address }: Letterhead,
  { name, subject, parts: bodyParts, facts }: MailContent,
): Mail => {
  const parts = ['Hello,', ...bodyParts, ...(address === null ? [] : [placesAt(address)])].map((part) =>
    typeof part === 'string' ? plainLine(part) : part.map(plainLine),
  );
  return {
    id,
    to,
    subject,
    text: parts.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n') + '\n',
    html: `<!doctype html>\n<html><body>\n${parts.map(toHtml).join('\n')}\n</body></html>\n`,
    name,
    facts: { email: to, address, ...inPlainLines(facts) },
  };
};

/** Returns lines with the service's URLs. The console is at the root of its host, regardless of the service's path. */
const placesAt = (address: string): readonly string[] => {
  const [origin = address] = /^https?:\/\/[^/]+/.exec(address) ?? [];
  return [`service:       ${address}`, `console:       ${origin}/console/`, `documentation: ${address}/docs`];
};

const inPlainLines = (facts: MailFacts): MailFacts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, inPlainLine(value)]));

const inPlainLine = (value: MailFacts[string]): MailFacts[string] => {
  if (typeof value === 'string') return plainLine(value);
  return value instanceof Array ? value.map(inPlainLines) : value;
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
