import { DeliveryError, isPlainLine, type Mail, type Mailer, plainLine } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The mails that went out, in their order; a mail that was sent again is here again. */
  readonly sent: readonly Mail[];
  /** From now on each mail fails like that; null ends it. */
  failWith(failure: 'for now' | 'for good' | null): void;
}

/** One address and nothing round it: no name, no second address, no line break, nothing that shows it otherwise than it is. */
const isOneAddress = (text: string): boolean =>
  isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u.test(text);

/** Keeps the mails that it is given where a test can read them. */
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
