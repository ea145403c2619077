import { collectionNamesakesContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { listNamesakes } = breachesOf('collections');

proveStores('the namesakes in the memory collection store', collectionNamesakesContract, {
  'namesakes are found ignoring case, with their base URLs, in list order': listNamesakes.replaceWith(
    async ([visibility, names], original) =>
      (await original.listNamesakes(visibility, names)).filter(({ name }) => names.includes(name)),
  ),
  'unknown names have no namesakes': listNamesakes.replaceWith(async ([, names], _original, { collections }) =>
    [...collections.values()].filter(({ name }) => names.some((requestedName) => name.includes(requestedName))),
  ),
  'a client sees only granted namesakes, and none without a grant': listNamesakes.mapArguments(([, names]) => [
    { scope: 'all' },
    names,
  ]),
});
