import { DeliveryError, isPlainLine, type Mail, type Mailer, plainLine } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The sent mails in order; a mail that was sent twice appears twice. */
  readonly sent: readonly Mail[];
  /** Makes every send fail this way from now on; null makes sends succeed again. */
  failWith(failure: 'for now' | 'for good' | null): void;
}

/** Exactly one address: no name, no second address, no line break, no character that displays it differently. */
const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);

/** Stores sent mails for tests to read. */
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
