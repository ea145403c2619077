import { vaultContract, type Sabotages, type TwoVaults } from '@portico/contracts';
import type { Vault } from '@portico/domain';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryVault } from './memory-vault.ts';

const createSubject = (): TwoVaults => ({ vault: createMemoryVault(), other: createMemoryVault() });

const breaking =
  (broken: (vault: Vault) => Partial<Vault>) =>
  ({ vault, other }: TwoVaults): TwoVaults => ({
    vault: { ...vault, ...broken(vault) },
    other: { ...other, ...broken(other) },
  });

const without =
  (left: RegExp) =>
  (vault: Vault): Partial<Vault> => ({ open: (sealed, context) => vault.open(sealed.replace(left, ''), context) });

const sabotages: Sabotages<typeof vaultContract, TwoVaults> = {
  'what was sealed opens to the very same text': breaking((vault) => ({
    open: (sealed, context) => vault.open(sealed, context).trim(),
  })),
  'it opens as often as one likes, and in any order': breaking((vault) => {
    const opened = new Set<string>();
    return {
      open: (sealed, context) => {
        const text = vault.open(sealed, context);
        if (opened.has(sealed)) return '';
        opened.add(sealed);
        return text;
      },
    };
  }),
  'the same text is sealed differently at every call': breaking((vault) => {
    const sealed = new Map<string, string>();
    return {
      seal: (text, context) => {
        const kept = sealed.get(text) ?? vault.seal(text, context);
        sealed.set(text, kept);
        return kept;
      },
    };
  }),
  'what was sealed shows neither the text nor the context': breaking((vault) => ({
    seal: (text, context) => `${vault.seal(text, context)}.${Buffer.from(context).toString('base64url')}`,
    open: (sealed, context) => vault.open(sealed.split('.')[0] ?? '', context),
  })),
  'what was sealed is printable ASCII without white space': breaking((vault) => ({
    seal: (text, context) => `${vault.seal(text, context)} `,
    open: (sealed, context) => vault.open(sealed.trim(), context),
  })),
  'it does not open for another context': breaking((vault) => ({
    seal: (text, context) => vault.seal(text, context.toLowerCase()),
    open: (sealed, context) => vault.open(sealed, context.toLowerCase()),
  })),
  'it does not open with another key': ({ vault }) => ({ vault, other: vault }),
  'it does not open with any character changed, left out or added': breaking(without(/[=\n]$/)),
  'the parts of two sealed texts cannot be exchanged': breaking((vault) => {
    const byTail = new Map<string, string>();
    return {
      seal: (text, context) => {
        const sealed = vault.seal(text, context);
        byTail.set(sealed.slice(-18), sealed);
        return sealed;
      },
      open: (sealed, context) => vault.open(byTail.get(sealed.slice(-18)) ?? sealed, context),
    };
  }),
  'a refusal does not tell the text': breaking((vault) => {
    const texts = new Map<string, string>();
    return {
      seal: (text, context) => {
        const sealed = vault.seal(text, context);
        texts.set(sealed, text);
        return sealed;
      },
      open: (sealed, context) => {
        try {
          return vault.open(sealed, context);
        } catch (cause) {
          throw new Error(`It was not sealed for this: ${texts.get(sealed) ?? sealed}`, { cause });
        }
      },
    };
  }),
};

proveContract(vaultContract, sabotages, createSubject);
