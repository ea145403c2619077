import { vaultContract, type Sabotages } from '@portico/contracts';
import type { Vault } from '@portico/domain';
import { createMemoryVault } from './memory-vault.ts';
import { proveContract } from '../test/prove-contract.ts';

const sabotages: Sabotages<typeof vaultContract, Vault> = {
  'what was sealed for a context is opened for it': (vault) => ({
    ...vault,
    open: (sealed, context) => vault.open(sealed, context).trim().slice(0, 99),
  }),
  'what was sealed for one context does not open for another': (vault) => ({
    ...vault,
    seal: (text) => vault.seal(text, ''),
    open: (sealed) => vault.open(sealed, ''),
  }),
  'sealing is different at every call': (vault) => {
    const sealed = new Map<string, string>();
    return {
      ...vault,
      seal: (text, context) => sealed.get(text) ?? sealed.set(text, vault.seal(text, context)).get(text) ?? '',
    };
  },
  'what was changed does not open': (vault) => ({
    ...vault,
    seal: (text) => `sealed ${text}`,
    open: (sealed) => sealed.slice(7),
  }),
  'what is sealed has one spelling': (vault) => ({
    ...vault,
    open: (sealed, context) => vault.open(sealed.replace(/=+$/, ''), context),
  }),
  'a text or a context with a lone surrogate is refused by a RangeError': (vault) => ({
    ...vault,
    seal: (text, context) => vault.seal(text, context.toWellFormed()),
    open: (sealed, context) => vault.open(sealed, context.toWellFormed()),
  }),
  'what was sealed just now is current': (vault) => ({ ...vault, isCurrent: () => false }),
  'what is sealed does not show the text': (vault) => ({
    ...vault,
    seal: (text) => text,
    open: (sealed) => sealed,
  }),
};

proveContract(vaultContract, sabotages, createMemoryVault);
