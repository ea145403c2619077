import { DeliveryError, isPlainLine, type Mail, type Mailer, plainLine } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The mails in the order in which they were sent; a mail that was sent twice appears twice. */
  readonly sent: readonly Mail[];
  /** From now on, every send fails in this way; with null, sends succeed again. */
  failWith(failure: 'for now' | 'for good' | null): void;
}

/**
 * Returns whether the text is exactly one address, without a name, a second address, a line break, or a character that
 * makes it look different.
 */
const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);

/** Creates a mailer that stores sent mails for tests to read. */
export const createMemoryMailer = (): MemoryMailer => {
  const sent: Mail[] = [];
  let failure: 'for now' | 'for good' | null = null;
  return {
    enabled: true,
    sent,
    async send(mail) {
      if (failure) throw new DeliveryError('The mailer is set to fail', failure === 'for good');
      if (!isOneAddress(mail.to)) throw new DeliveryError('The recipient is not one e-mail address', true);
      sent.push({ ...mail, subject: plainLine(mail.subject) });
    },
    failWith(newFailure) {
      failure = newFailure;
    },
  };
};
