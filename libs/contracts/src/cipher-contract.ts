import assert from 'node:assert/strict';
import type { Cipher } from '@portico/domain';
import type { Contract } from './contract.ts';

const texts = ['', 's3cret', 'Zürich 東京 \u{1f511}', 'x'.repeat(100_000)];

/** The characters of both base64 alphabets, and some that decoders ignore. */
const endings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

export const cipherContract = {
  'a text sealed for a context can be opened with that context': async (cipher) => {
    for (const text of texts) assert.equal(cipher.open(cipher.seal(text, 'here'), 'here'), text);
  },
  'a text sealed for one context cannot be opened with a different one': async (cipher) => {
    assert.throws(() => cipher.open(cipher.seal('s3cret', 'here'), 'there'));
  },
  'sealing returns a different result each time': async (cipher) => {
    assert.notEqual(cipher.seal('s3cret', 'here'), cipher.seal('s3cret', 'here'));
  },
  'a sealed text that was modified cannot be opened': async (cipher) => {
    const sealedText = cipher.seal('s3cret', 'here');
    for (const index of [0, Math.floor(sealedText.length / 2), sealedText.length - 2]) {
      const modifiedText =
        sealedText.slice(0, index) + (sealedText[index] === 'A' ? 'B' : 'A') + sealedText.slice(index + 1);
      assert.throws(() => cipher.open(modifiedText, 'here'));
    }
  },
  'a sealed text has only one valid encoding': async (cipher) => {
    const sealedText = cipher.seal('s3cret', 'here');
    const otherEndings = [...endings]
      .map((ending) => `${sealedText.slice(0, -1)}${ending}`)
      .filter((text) => text !== sealedText);
    for (const text of [
      ...otherEndings,
      `${sealedText}A`,
      `${sealedText}=`,
      `${sealedText}==`,
      ` ${sealedText}`,
      `${sealedText}\n`,
      `${sealedText}.`,
    ]) {
      assert.throws(() => cipher.open(text, 'here'), `opened despite a different ending: ${text.slice(-4)}`);
    }
    assert.equal(cipher.open(sealedText, 'here'), 's3cret');
  },
  'a text or context with a lone surrogate throws a RangeError': async (cipher) => {
    const replacedContextText = cipher.seal('s3cret', 'h\ufffdre');
    for (const loneSurrogate of ['\ud800', 'h\udc00re', '\udc00\ud800']) {
      assert.throws(() => cipher.seal(loneSurrogate, 'here'), RangeError);
      assert.throws(() => cipher.seal('s3cret', loneSurrogate), RangeError);
      assert.throws(() => cipher.open(replacedContextText, loneSurrogate), RangeError);
    }
  },
  'a text that was just sealed is current': async (cipher) => {
    for (const text of texts) assert.equal(cipher.isCurrent(cipher.seal(text, 'here')), true);
  },
  'a sealed text does not contain the original': async (cipher) => {
    assert.ok(!cipher.seal('s3cret', 'here').includes('s3cret'));
  },
} satisfies Contract<Cipher>;
