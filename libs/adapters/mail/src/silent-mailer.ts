import { DeliveryError, type Mailer } from '@portico/domain';

/**
 * Sends nothing and says so. A mail that waits from a time when mails were sent is refused, not for good: it goes out
 * once they are again.
 */
export const createSilentMailer = (): Mailer => ({
  enabled: false,
  async send() {
    throw new DeliveryError('No mail is sent by this configuration', false);
  },
});
