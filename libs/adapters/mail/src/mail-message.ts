import { DeliveryError, type Instant, type Mail, plainLine } from '@portico/domain';
import type { SendMailOptions } from 'nodemailer';
import { isOneAddress, type Sender } from './sender.ts';

/** Allowed before the @ of a Message-ID, and in a file name. */
const usableId = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,127}$/;

/**
 * The mail in nodemailer's form, for any transport. Throws a permanent `DeliveryError` if it cannot be addressed. The
 * message is the same each time except for its date: its `Message-ID` is built from the mail's id and the sender's
 * domain.
 */
export const mailMessage = (mail: Mail, { from, date }: { readonly from: Sender; readonly date: Instant }) => {
  if (!usableId.test(mail.id)) throw new DeliveryError('The mail has no usable id', true);
  if (!isOneAddress(mail.to)) throw new DeliveryError('The recipient is not one e-mail address', true);
  return {
    from,
    to: { name: '', address: mail.to },
    subject: plainLine(mail.subject),
    text: mail.text,
    html: mail.html,
    date: new Date(date),
    messageId: `<${mail.id}@${domainOf(from.address)}>`,
    // No absence notice should answer it (RFC 3834, section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    // The texts are literal, never a path or a URL to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
};

/** ASCII only, as in a Message-ID. */
const domainOf = (address: string): string => /@([A-Za-z0-9.-]+)$/.exec(address)?.[1] ?? 'portico.local';
