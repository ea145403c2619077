import { cipherContract, type Sabotages } from '@portico/contracts';
import type { Cipher } from '@portico/domain';
import { createMemoryCipher } from './memory-cipher.ts';
import { proveContract } from '../test/prove-contract.ts';

const sabotages: Sabotages<typeof cipherContract, Cipher> = {
  'what was sealed for a context is opened for it': (cipher) => ({
    ...cipher,
    open: (sealed, context) => cipher.open(sealed, context).trim().slice(0, 99),
  }),
  'what was sealed for one context does not open for another': (cipher) => ({
    ...cipher,
    seal: (text) => cipher.seal(text, ''),
    open: (sealed) => cipher.open(sealed, ''),
  }),
  'sealing is different at every call': (cipher) => {
    const sealed = new Map<string, string>();
    return {
      ...cipher,
      seal: (text, context) => sealed.get(text) ?? sealed.set(text, cipher.seal(text, context)).get(text) ?? '',
    };
  },
  'what was changed does not open': (cipher) => ({
    ...cipher,
    seal: (text) => `sealed ${text}`,
    open: (sealed) => sealed.slice(7),
  }),
  'what is sealed has one spelling': (cipher) => ({
    ...cipher,
    open: (sealed, context) => cipher.open(sealed.replace(/=+$/, ''), context),
  }),
  'a text or a context with a lone surrogate is refused by a RangeError': (cipher) => ({
    ...cipher,
    seal: (text, context) => cipher.seal(text, context.toWellFormed()),
    open: (sealed, context) => cipher.open(sealed, context.toWellFormed()),
  }),
  'what was sealed just now is current': (cipher) => ({ ...cipher, isCurrent: () => false }),
  'what is sealed does not show the text': (cipher) => ({
    ...cipher,
    seal: (text) => text,
    open: (sealed) => sealed,
  }),
};

proveContract(cipherContract, sabotages, createMemoryCipher);
