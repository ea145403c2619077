import { DeliveryError, type Mailer } from '@portico/domain';

/**
 * Sends nothing and reports that. Mails that are still pending fail temporarily: they are sent once mail is configured
 * again.
 */
export const createSilentMailer = (): Mailer => ({
  enabled: false,
  async send() {
    throw new DeliveryError('This configuration sends no mails', false);
  },
});
