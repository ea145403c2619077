import { DeliveryError, isPlainLine, type Mail, type Mailer, toPlainLine } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The emails in the order in which they were sent; an email that was sent twice appears twice. */
  readonly sentMails: readonly Mail[];
  /** From now on, every send fails in this way; with null, sends succeed again. */
  failWith(failure: 'temporary' | 'permanent' | null): void;
}

/**
 * Returns whether the text is exactly one address, without a name, a second address, a line break,
 * or a character that disguises it.
 */
const isSingleAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);

/** Creates a mailer that stores sent emails for tests to read. */
export const createMemoryMailer = (): MemoryMailer => {
  const sentMails: Mail[] = [];
  let failure: 'temporary' | 'permanent' | null = null;
  return {
    enabled: true,
    sentMails,
    async send(mail) {
      if (failure) throw new DeliveryError('The mailer is set to fail', failure === 'permanent');
      if (!isSingleAddress(mail.to)) throw new DeliveryError('The recipient is not a single email address', true);
      sentMails.push({ ...mail, subject: toPlainLine(mail.subject) });
    },
    failWith(newFailure) {
      failure = newFailure;
    },
  };
};
