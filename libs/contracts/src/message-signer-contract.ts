import assert from 'node:assert/strict';
import type { MessageSigner } from '@portico/domain';
import type { Contract } from './contract.ts';

const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);

/** The contract of `MessageSigner`. */
export const messageSignerContract = {
  'a signature is the base64 of the HMAC-SHA256': async (signer) => {
    // From the specification of Standard Webhooks.
    const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
    const key = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    assert.equal(signer.sign(text, key), 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  },
  'the UTF-8 bytes of a text are signed': async (signer) => {
    const key = signer.encodeKey(bytesOf(32));
    assert.equal(signer.sign('größe 愛', key), 'fUWKFtCjoxk1fpbixI9YXvmUCoj9LZESOv+r++L+sWU=');
  },
  'a key is the base64 of its bytes': async (signer) => {
    assert.equal(signer.encodeKey(Uint8Array.of(255, 254, 253, 0)), '//79AA==');
  },
  'keys of 24 to 64 bytes sign': async (signer) => {
    for (const length of [24, 64]) assert.equal(signer.sign('', signer.encodeKey(bytesOf(length))).length, 44);
    for (const length of [0, 23, 65])
      assert.throws(() => signer.sign('', signer.encodeKey(bytesOf(length))), RangeError);
  },
  'a key that is not base64, or has a second encoding, throws a RangeError': async (signer) => {
    const key = signer.encodeKey(bytesOf(32));
    for (const invalidKey of ['', `${key}=`, ` ${key}`, key.slice(0, -1), key.replace('A', '-'), `whsec_${key}`])
      assert.throws(() => signer.sign('', invalidKey), RangeError);
  },
  'a text with a lone surrogate throws a RangeError': async (signer) => {
    assert.throws(() => signer.sign('\ud800', signer.encodeKey(bytesOf(32))), RangeError);
  },
} satisfies Contract<MessageSigner>;
