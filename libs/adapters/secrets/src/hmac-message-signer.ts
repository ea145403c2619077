import { createHmac } from 'node:crypto';
import type { MessageSigner } from '@portico/domain';

const [keyBytesMin, keyBytesMax] = [24, 64];

/** Signs with HMAC-SHA256, as Standard Webhooks requires for keys that start with `whsec_`. */
export const createHmacMessageSigner = (): MessageSigner => ({
  sign(text, key) {
    if (!text.isWellFormed()) throw new RangeError('The text has a lone surrogate.');
    return createHmac('sha256', decodeKey(key)).update(text, 'utf8').digest('base64');
  },
  encodeKey: (bytes) => Buffer.from(bytes).toString('base64'),
});

const decodeKey = (text: string): Uint8Array => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text || bytes.length < keyBytesMin || bytes.length > keyBytesMax)
    throw new RangeError(`The key is not the base64 of ${keyBytesMin} to ${keyBytesMax} bytes.`);
  return bytes;
};
