import type { JobId } from '../ids.ts';
import type { Credentials } from '../profiles/credentials.ts';
import type { Mail, Profile } from '../ports/index.ts';

/** The mail that carries the credentials of an approved profile. */
export const credentialsMail = (id: JobId, { email, fullName }: Profile, { clientId, secret }: Credentials): Mail =>
  mail(id, email, 'Your API credentials', [
    `Hello ${fullName},`,
    'your registration was approved. These are your API credentials:',
    [`client_id: ${clientId}`, `client_secret: ${secret}`],
    'Send them as the headers X-Client-ID and X-API-Key. The secret is not shown again: keep it as you keep a password.',
  ]);

/** The notice of a rejection, with the reason where there is one. */
export const rejectionMail = (id: JobId, { email, fullName }: Profile, reason: string | null): Mail =>
  mail(id, email, 'Your registration was rejected', [
    `Hello ${fullName},`,
    'your registration was reviewed and rejected.',
    ...(reason ? [`Reason: ${reason}`] : []),
  ]);

/** A paragraph, or lines that stand as they are. */
type Part = string | readonly string[];

const mail = (id: JobId, to: string, subject: string, parts: readonly Part[]): Mail => ({
  id,
  to,
  subject,
  text: parts.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n') + '\n',
  html: `<!doctype html>\n<html><body>\n${parts.map(toHtml).join('\n')}\n</body></html>\n`,
});

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
