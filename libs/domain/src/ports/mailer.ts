import type { Mail } from '../mails/mail.ts';

export interface Mailer {
  /** False if mail is never sent; in that case, the domain queues no mail. */
  readonly enabled: boolean;
  /**
   * Sends an email. The promise is fulfilled once another server or store has accepted the email, within 15 s. Rejects
   * with a `DeliveryError` whose message contains no part of the email; the error is permanent if the recipient is not
   * exactly one address.
   */
  send(mail: Mail): Promise<void>;
}
