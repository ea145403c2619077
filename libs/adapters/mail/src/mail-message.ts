import { DeliveryError, type Instant, type Mail, toPlainLine } from '@portico/domain';
import type { SendMailOptions } from 'nodemailer';
import { isOneAddress, type Sender } from './sender.ts';

/** An id that is valid before the @ of a Message-ID, and in a file name. */
const validId = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,127}$/;

/**
 * Converts an email to nodemailer's format, for any transport. Throws a permanent `DeliveryError` if the id or the
 * recipient is invalid. An email is always converted to the same message, apart from the date: the `Message-ID` consists
 * of the email's id and the sender's domain.
 */
export const createMailMessage = (mail: Mail, { from, date }: { readonly from: Sender; readonly date: Instant }) => {
  if (!validId.test(mail.id)) throw new DeliveryError('The email has no valid id', true);
  if (!isOneAddress(mail.to)) throw new DeliveryError('The recipient is not a single email address', true);
  return {
    from,
    to: { name: '', address: mail.to },
    subject: toPlainLine(mail.subject),
    text: mail.text,
    html: mail.html,
    date: new Date(date),
    messageId: `<${mail.id}@${domainOf(from.address)}>`,
    // Suppresses automatic replies (RFC 3834, section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    // The text is literal, never a path or a URL to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
};

/** Returns the domain, which must be ASCII in a Message-ID; a default if it is not. */
const domainOf = (address: string): string => /@([A-Za-z0-9.-]+)$/.exec(address)?.[1] ?? 'portico.local';
