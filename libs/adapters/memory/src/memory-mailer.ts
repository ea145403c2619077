import { DeliveryError } from '@portico/domain';
import type { Mail, Mailer } from '@portico/domain';

export interface MemoryMailer extends Mailer {
  /** The mails that went out, in their order; a mail that was sent again is here again. */
  readonly sent: readonly Mail[];
  /** From now on each mail fails like that; null ends it. */
  failWith(failure: 'for now' | 'for good' | null): void;
}

/** One address and nothing round it: no name, no second address, no line break. */
const oneAddress = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/** Keeps the mails that it is given where a test can read them. */
export const createMemoryMailer = (): MemoryMailer => {
  const sent: Mail[] = [];
  let failure: 'for now' | 'for good' | null = null;
  return {
    enabled: true,
    sent,
    async send(mail) {
      if (failure) throw new DeliveryError('The mailer was told to fail', failure === 'for good');
      if (!oneAddress.test(mail.to)) throw new DeliveryError('The recipient is not one e-mail address', true);
      sent.push({ ...mail, subject: mail.subject.replace(/[\r\n]+/g, ' ') });
    },
    failWith(newFailure) {
      failure = newFailure;
    },
  };
};
