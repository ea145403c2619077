import { DeliveryError, type Mailer } from '@portico/domain';

/**
 * Creates a mailer that is disabled and sends nothing. Pending emails fail temporarily, so they are sent once mail is
 * configured again.
 */
export const createDisabledMailer = (): Mailer => ({
  enabled: false,
  async send() {
    throw new DeliveryError('This configuration sends no emails', false);
  },
});
