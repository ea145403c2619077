import { DeliveryError, type Instant, type Mail, plainLine } from '@portico/domain';
import type { SendMailOptions } from 'nodemailer';
import { isOneAddress, type Sender } from './sender.ts';

/** What may stand before the @ of a Message-ID, and in the name of a file. */
const usableId = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,127}$/;

/**
 * The mail as nodemailer takes it, whatever carries it. Throws a permanent `DeliveryError` where it can go to nobody.
 * The message is the same each time but for its date: its `Message-ID` is made of the mail's id and the sender's domain.
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
    // Nobody's absence notice is to answer it (RFC 3834, section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    // The texts are texts, never the path or the address of one.
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
};

/** In ASCII, as a Message-ID is. */
const domainOf = (address: string): string => /@([A-Za-z0-9.-]+)$/.exec(address)?.[1] ?? 'portico.local';
