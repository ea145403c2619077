import { deepStrictEqual } from 'node:assert/strict';
import type { Collection, Visibility } from '@portico/domain';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import { aCollection, aDocumentContent, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `CollectionStore.listNamesakes`. */
export const collectionNamesakesContract = {
  'namesakes are found ignoring case, with their base URLs, in list order': async (stores) => {
    const names = ['Caf\u00e9', 'b', 'CAF\u00c9', 'caf\u00e9 2', 'Cafe', 'Caf\u00e9'];
    const [first, b, second, , , third] = await addCollectionsByName(stores, names);
    const baseUrl = 'https://cafe.example/v1';
    await stores.collections.update(second!.id, (current) => ({ collection: { ...current, baseUrl }, ...noEffects }));
    deepStrictEqual(await stores.collections.listNamesakes(allCollections, ['b', 'cAFe\u0301', 'b', 'c']), [
      namesakeOf(b!),
      namesakeOf(first!),
      namesakeOf({ ...second!, baseUrl }),
      namesakeOf(third!),
    ]);
  },

  'unknown names have no namesakes': async (stores) => {
    await addCollectionsByName(stores, ['Roads', 'Rivers']);
    const unknownNames = ['', 'Road', 'Roads ', '%', 'Roads\0', 'Roads\ud800', `Roads'`];
    deepStrictEqual(await stores.collections.listNamesakes(allCollections, unknownNames), []);
    deepStrictEqual(await stores.collections.listNamesakes(allCollections, []), []);
    deepStrictEqual(
      (await stores.collections.listNamesakes(allCollections, [...unknownNames, 'rivers'])).map(({ name }) => name),
      ['Rivers'],
    );
  },

  'a client sees only granted namesakes, and none without a grant': async (stores) => {
    const client = aProfile();
    const [granted] = await addCollectionsByName(stores, ['Roads', 'Roads']);
    await stores.profiles.add(client, noEffects);
    const visibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    deepStrictEqual(await stores.collections.listNamesakes(visibility, ['Roads']), []);
    await grantToClient(stores.grants, client.id, granted!.id, () => ({ grantedAt: start, ...noEffects }));
    deepStrictEqual(await stores.collections.listNamesakes(visibility, ['Roads']), [namesakeOf(granted!)]);
    deepStrictEqual(await stores.collections.listNamesakes({ scope: 'none' }, ['Roads']), []);
  },
} satisfies Contract<Stores>;

const allCollections: Visibility = { scope: 'all' };

const namesakeOf = ({ id, name, baseUrl }: Collection) => ({ id, name, baseUrl });

const addCollectionsByName = async ({ collections }: Stores, names: readonly string[]) => {
  const added = names.map((name) => aCollection({ name }));
  for (const collection of added) await collections.add(collection, aDocumentContent(), noEffects);
  return added;
};
