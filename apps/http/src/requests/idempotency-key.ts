import type { IncomingMessage } from 'node:http';
import { PorticoError } from '@portico/domain';

/** Returns the header `Idempotency-Key`; null if there is none. Throws `invalid_body` if it is not valid. */
export const readIdempotencyKey = ({ headers }: Pick<IncomingMessage, 'headers'>): string | null => {
  const value = headers['idempotency-key'];
  if (value === undefined) return null;
  if (typeof value === 'string' && /^[\x20-\x7e]{1,128}$/.test(value)) return value;
  throw new PorticoError('invalid_body', {
    reason: 'the header Idempotency-Key must have 1 to 128 printable ASCII characters',
  });
};
