import { messageSignerContract } from '@portico/contracts';
import { test } from 'vitest';
import { createHmacMessageSigner } from './hmac-message-signer.ts';

for (const [sentence, check] of Object.entries(messageSignerContract)) {
  test(sentence, () => check(createHmacMessageSigner()));
}
