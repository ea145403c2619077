import type { Mail } from '../mails/mail.ts';

export interface Mailer {
  /** False where no mail is ever sent; then none is asked for. */
  readonly enabled: boolean;
  /**
   * Fulfilled once the mail is in other hands, within 15 s. Rejects with a `DeliveryError` whose message holds no part of the mail; for
   * good where the recipient is not one address.
   */
  send(mail: Mail): Promise<void>;
}
