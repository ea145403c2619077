export interface Mail {
  /** Stable over retries; becomes the local part of the `Message-ID`. */
  readonly id: string;
  /** One e-mail address. */
  readonly to: string;
  /** Sent as one line (`plainLine`). */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Why a mail did not go out. */
export class DeliveryError extends Error {
  /** Whether trying again is useless. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.permanent = permanent;
  }
}

export interface Mailer {
  /** False where no mail is ever sent; then none is asked for. */
  readonly enabled: boolean;
  /**
   * Fulfilled once the mail is in other hands, within 15 s. Rejects with a `DeliveryError` whose message holds no part of the mail; for
   * good where the recipient is not one address.
   */
  send(mail: Mail): Promise<void>;
}
