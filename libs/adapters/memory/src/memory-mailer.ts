import { DeliveryError, isPlainLine, type Mail, type Mailer, plainLine } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The mails that were sent, in order; a mail sent twice is in it twice. */
  readonly sent: readonly Mail[];
  /** Makes every mail fail this way from now on; null ends it. */
  failWith(failure: 'for now' | 'for good' | null): void;
}

/** Exactly one address: no name, no second address, no line break, no character that displays it differently. */
const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);

/** Keeps sent mails where a test can read them. */
export const createMemoryMailer = (): MemoryMailer => {
  const sent: Mail[] = [];
  let failure: 'for now' | 'for good' | null = null;
  return {
    enabled: true,
    sent,
    async send(mail) {
      if (failure) throw new DeliveryError('The mailer was told to fail', failure === 'for good');
      if (!isOneAddress(mail.to)) throw new DeliveryError('The recipient is not one e-mail address', true);
      sent.push({ ...mail, subject: plainLine(mail.subject) });
    },
    failWith(newFailure) {
      failure = newFailure;
    },
  };
};
