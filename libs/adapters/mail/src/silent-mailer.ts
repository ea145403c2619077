import { DeliveryError, type Mailer } from '@portico/domain';

/**
 * Sends nothing and says so. Mails still waiting from before fail temporarily: they are sent once mail is configured
 * again.
 */
export const createSilentMailer = (): Mailer => ({
  enabled: false,
  async send() {
    throw new DeliveryError('This configuration sends no mails', false);
  },
});
