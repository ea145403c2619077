export interface Mail {
  /** Stays the same over retries; becomes the local part of the `Message-ID`. */
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
