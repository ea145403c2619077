import { plainLine } from '../line.ts';
import type { JobId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';

/** Every mail that the service sends; also the name of the templates that may replace it. */
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

/** What a template may say: plain lines, numbers, truths, and lists of such records. */
export interface MailFacts {
  readonly [name: string]: string | number | boolean | null | readonly MailFacts[];
}

export interface Mail {
  /** Stays the same over retries; becomes the local part of the `Message-ID`. */
  readonly id: string;
  /** One e-mail address. */
  readonly to: string;
  /** Sent as one line (`plainLine`). */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly name: MailName;
  /** What the texts were made of, for templates in their place. May hold secrets, as the texts do. */
  readonly facts: MailFacts;
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

/**
 * No mail greets its recipient by name: a registrant may give somebody else's address and any text as the name, which
 * would read as the organisation's words. Text from users appears only inside lines that the service composes.
 */
export type Recipient = Pick<Profile, 'email'>;

/** What a mail has besides its words and its recipient. */
export interface Letterhead {
  readonly id: JobId;
  /** Where callers reach the service, without a slash at its end; null if that is not known. */
  readonly address: string | null;
}

/** A paragraph, or lines that are kept as they are. */
export type Part = string | readonly string[];

export interface Written {
  readonly name: MailName;
  readonly subject: string;
  readonly parts: readonly Part[];
  readonly facts: MailFacts;
}

/** Makes every line plain (`plainLine`), wherever its words come from, and ends with where the service is, if known. */
export const mailTo = (
  { email: to }: Recipient,
  { id, address }: Letterhead,
  { name, subject, parts: written, facts }: Written,
): Mail => {
  const parts = ['Hello,', ...written, ...(address === null ? [] : [placesAt(address)])].map((part) =>
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

/** The console is at the root of its host, wherever the rest is. */
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
