import { aCredential, credentialStoreContract, noEffects } from '@portico/contracts';
import { breachesOf, updateEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { list, update } = breachesOf('credentials');
const callers = breachesOf('callers');
const collections = breachesOf('collections');

proveStores('the memory credential store', credentialStoreContract, {
  'credentials are returned exactly as they were stored, by scheme in code point order': list.mapResult((credentials) =>
    credentials.toSorted((a, b) => (a.scheme < b.scheme ? -1 : 1)),
  ),
  'a missing collection and one without credentials have none': list.mapResult((credentials) =>
    credentials.length === 0 ? [aCredential('none')] : credentials,
  ),
  'an update bases its decision on the current collection and its credentials': update.mapDecisionInput(
    ([collection, credentials]) => [collection, credentials.slice(1)],
  ),
  "an update replaces all credentials of the collection, and none of other collections'": update.mapDecision(
    (change, [, credentials]) => {
      const schemes = change?.credentials.map(({ scheme }) => scheme) ?? [];
      const otherCredentials = credentials.filter(({ scheme }) => !schemes.includes(scheme));
      return change && { ...change, credentials: [...change.credentials, ...otherCredentials] };
    },
  ),
  'an update stores the collection with the schemes of its credentials, and returns it': update.runAfter(
    (database, [id]) => updateEntry(database.collections, id, { credentialSchemes: ['other'] }),
  ),
  'the schemes are read together with the caller': callers.findByUid.mapResult((row) =>
    row?.target ? { ...row, target: { ...row.target, credentialSchemes: [] } } : row,
  ),
  'a change of the collection keeps its credentials': collections.update.runAfter((database, [id]) =>
    database.credentials.delete(id),
  ),
  'an update invalidates cached lists': update.restoreAfter((database) => {
    const { catalogEpoch } = database;
    return () => (database.catalogEpoch = catalogEpoch);
  }),
  'an update writes its effects': update.dropEffects(),
  'an update whose decision returns null or throws writes nothing': update.mapArguments(([id, decide]) => [
    id,
    (collection, credentials) => decide(collection, credentials) ?? { collection, credentials: [], ...noEffects },
  ]),
  'updating a missing collection throws before the decision is called': update.replaceWith(
    async ([id, decide], original, { collections: all }) => original.update([...all.keys()][0] ?? id, decide),
  ),
  'concurrent updates of the same collection each see the previous update': update.applyStaleDecision(),
  'removing a collection removes its credentials': collections.remove.restoreAfter((database, [id]) => {
    const credentials = database.credentials.get(id) ?? [];
    return () => database.credentials.set(id, credentials);
  }),
});
