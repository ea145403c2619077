import { originalDocumentContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { findOriginal, update } = breachesOf('collections');

proveStores('the memory collection store, on original documents', originalDocumentContract, {
  'the text that a document was converted from is returned exactly as it was stored, with its digest':
    findOriginal.replaceWith(async ([id], _original, { collections, originals }) => {
      const [collection, packed] = [collections.get(id), originals.get(id)];
      return collection?.original && packed ? { digest: collection.original.digest, packed } : null;
    }),
  'an update without a document keeps the text that it was converted from': update.runBefore(({ originals }, [id]) =>
    originals.delete(id),
  ),
  'a document that was not converted has no other text, also after one that was': update.mapDecision(
    (change, [current]) => change && { ...change, collection: { ...change.collection, original: current.original } },
  ),
});
