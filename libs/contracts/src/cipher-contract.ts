import assert from 'node:assert/strict';
import type { Cipher } from '@portico/domain';
import type { Contract } from './contract.ts';

const texts = ['', 's3cret', 'Zürich 東京 \u{1f511}', 'x'.repeat(100_000)];

/** Of base64 in both its forms, and what decoders overlook. */
const endings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

export const cipherContract = {
  'what was sealed for a context is opened for it': async (cipher) => {
    for (const text of texts) assert.equal(cipher.open(cipher.seal(text, 'here'), 'here'), text);
  },
  'what was sealed for one context does not open for another': async (cipher) => {
    assert.throws(() => cipher.open(cipher.seal('s3cret', 'here'), 'there'));
  },
  'sealing is different at every call': async (cipher) => {
    assert.notEqual(cipher.seal('s3cret', 'here'), cipher.seal('s3cret', 'here'));
  },
  'what was changed does not open': async (cipher) => {
    const sealed = cipher.seal('s3cret', 'here');
    for (const at of [0, Math.floor(sealed.length / 2), sealed.length - 2]) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => cipher.open(changed, 'here'));
    }
  },
  'what is sealed has one spelling': async (cipher) => {
    const sealed = cipher.seal('s3cret', 'here');
    const others = [...endings].map((last) => `${sealed.slice(0, -1)}${last}`).filter((text) => text !== sealed);
    for (const text of [
      ...others,
      `${sealed}A`,
      `${sealed}=`,
      `${sealed}==`,
      ` ${sealed}`,
      `${sealed}\n`,
      `${sealed}.`,
    ]) {
      assert.throws(() => cipher.open(text, 'here'), `opened although its end is another: ${text.slice(-4)}`);
    }
    assert.equal(cipher.open(sealed, 'here'), 's3cret');
  },
  'a text or a context with a lone surrogate is refused by a RangeError': async (cipher) => {
    const replaced = cipher.seal('s3cret', 'h\ufffdre');
    for (const odd of ['\ud800', 'h\udc00re', '\udc00\ud800']) {
      assert.throws(() => cipher.seal(odd, 'here'), RangeError);
      assert.throws(() => cipher.seal('s3cret', odd), RangeError);
      assert.throws(() => cipher.open(replaced, odd), RangeError);
    }
  },
  'what was sealed just now is current': async (cipher) => {
    for (const text of texts) assert.equal(cipher.isCurrent(cipher.seal(text, 'here')), true);
  },
  'what is sealed does not show the text': async (cipher) => {
    assert.ok(!cipher.seal('s3cret', 'here').includes('s3cret'));
  },
} satisfies Contract<Cipher>;
