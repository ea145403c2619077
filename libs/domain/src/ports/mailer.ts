import type { Mail } from '../mails/mail.ts';

export interface Mailer {
  /** False if mail is never sent; then the domain requests none. */
  readonly enabled: boolean;
  /**
   * Fulfilled once another server or store has taken the mail, within 15 s. Rejects with a `DeliveryError` whose
   * message contains no part of the mail; permanently if the recipient is not one address.
   */
  send(mail: Mail): Promise<void>;
}
