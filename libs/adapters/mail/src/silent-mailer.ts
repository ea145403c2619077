import { DeliveryError, type Mailer } from '@portico/domain';

/**
 * Creates a mailer that is disabled and sends nothing. Pending mails fail temporarily, so they are sent once mail is
 * configured again.
 */
export const createSilentMailer = (): Mailer => ({
  enabled: false,
  async send() {
    throw new DeliveryError('This configuration sends no mails', false);
  },
});
