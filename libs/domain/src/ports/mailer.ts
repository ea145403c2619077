import type { Mail } from '../mails/mail.ts';

export interface Mailer {
  /** False if mail is never sent; then the domain queues none. */
  readonly enabled: boolean;
  /**
   * Fulfilled once another server or store has accepted the mail, within 15 s. Rejects with a `DeliveryError` whose
   * message contains no part of the mail; it is permanent if the recipient is not exactly one address.
   */
  send(mail: Mail): Promise<void>;
}
