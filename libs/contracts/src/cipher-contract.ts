import assert from 'node:assert/strict';
import type { Cipher } from '@portico/domain';
import type { Contract } from './contract.ts';

const texts = ['', 's3cret', 'Zürich 東京 \u{1f511}', 'x'.repeat(100_000)];

/** The characters of both base64 alphabets, and some that decoders ignore. */
const endings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

export const cipherContract = {
  'a text sealed for a context opens for it': async (cipher) => {
    for (const text of texts) assert.equal(cipher.open(cipher.seal(text, 'here'), 'here'), text);
  },
  'a text sealed for one context does not open for another': async (cipher) => {
    assert.throws(() => cipher.open(cipher.seal('s3cret', 'here'), 'there'));
  },
  'sealing returns a different result for each call': async (cipher) => {
    assert.notEqual(cipher.seal('s3cret', 'here'), cipher.seal('s3cret', 'here'));
  },
  'a modified sealed text does not open': async (cipher) => {
    const sealed = cipher.seal('s3cret', 'here');
    for (const at of [0, Math.floor(sealed.length / 2), sealed.length - 2]) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => cipher.open(changed, 'here'));
    }
  },
  'a sealed text has only one valid encoding': async (cipher) => {
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
      assert.throws(() => cipher.open(text, 'here'), `opened despite a different ending: ${text.slice(-4)}`);
    }
    assert.equal(cipher.open(sealed, 'here'), 's3cret');
  },
  'a text or context with a lone surrogate throws a RangeError': async (cipher) => {
    const replaced = cipher.seal('s3cret', 'h\ufffdre');
    for (const odd of ['\ud800', 'h\udc00re', '\udc00\ud800']) {
      assert.throws(() => cipher.seal(odd, 'here'), RangeError);
      assert.throws(() => cipher.seal('s3cret', odd), RangeError);
      assert.throws(() => cipher.open(replaced, odd), RangeError);
    }
  },
  'a text that was just sealed is current': async (cipher) => {
    for (const text of texts) assert.equal(cipher.isCurrent(cipher.seal(text, 'here')), true);
  },
  'a sealed text does not contain the original': async (cipher) => {
    assert.ok(!cipher.seal('s3cret', 'here').includes('s3cret'));
  },
} satisfies Contract<Cipher>;
