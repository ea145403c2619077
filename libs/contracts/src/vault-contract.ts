import assert from 'node:assert/strict';
import type { Vault } from '@portico/domain';
import type { Contract } from './contract.ts';

const texts = ['', 's3cret', 'Zürich 東京 \u{1f511}', 'x'.repeat(100_000)];

/** Of base64 in both its forms, and what decoders overlook. */
const endings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

export const vaultContract = {
  'what was sealed for a context is opened for it': async (vault) => {
    for (const text of texts) assert.equal(vault.open(vault.seal(text, 'here'), 'here'), text);
  },
  'what was sealed for one context does not open for another': async (vault) => {
    assert.throws(() => vault.open(vault.seal('s3cret', 'here'), 'there'));
  },
  'sealing is different at every call': async (vault) => {
    assert.notEqual(vault.seal('s3cret', 'here'), vault.seal('s3cret', 'here'));
  },
  'what was changed does not open': async (vault) => {
    const sealed = vault.seal('s3cret', 'here');
    for (const at of [0, Math.floor(sealed.length / 2), sealed.length - 2]) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => vault.open(changed, 'here'));
    }
  },
  'what is sealed has one spelling': async (vault) => {
    const sealed = vault.seal('s3cret', 'here');
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
      assert.throws(() => vault.open(text, 'here'), `opened although its end is another: ${text.slice(-4)}`);
    }
    assert.equal(vault.open(sealed, 'here'), 's3cret');
  },
  'a text or a context with a lone surrogate is refused by a RangeError': async (vault) => {
    const replaced = vault.seal('s3cret', 'h\ufffdre');
    for (const odd of ['\ud800', 'h\udc00re', '\udc00\ud800']) {
      assert.throws(() => vault.seal(odd, 'here'), RangeError);
      assert.throws(() => vault.seal('s3cret', odd), RangeError);
      assert.throws(() => vault.open(replaced, odd), RangeError);
    }
  },
  'what was sealed just now is current': async (vault) => {
    for (const text of texts) assert.equal(vault.isCurrent(vault.seal(text, 'here')), true);
  },
  'what is sealed does not show the text': async (vault) => {
    assert.ok(!vault.seal('s3cret', 'here').includes('s3cret'));
  },
} satisfies Contract<Vault>;
