import { collectionLifecycleContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { find, listInactive, list, listOwnedIds, remove } = breachesOf('collections');
const grants = breachesOf('grants');
const groups = breachesOf('groups');
const requests = breachesOf('requests');

proveStores('the memory stores for the lifecycle of collections', collectionLifecycleContract, {
  'adding and updating a collection store its lifecycle, owner, tags and change policy': find.mapResult(
    (collection) => collection && { ...collection, tags: collection.tags.toSorted() },
  ),
  'the collections that are not active are listed with their states': listInactive.mapResult(
    (states) => new Map([...states].map(([id]) => [id, 'deprecated'])),
  ),
  'removing a collection leaves those that it was the successor of without one': remove.restoreAfter(
    ({ collections }, [id]) => {
      const before = [...collections];
      return () => before.forEach(([key, collection]) => key !== id && collections.set(key, collection));
    },
  ),
  'a list item has the id, name, description, times, lifecycle and tags': list.replaceWith(
    async (_args, _original, { collections }) => [...collections.values()],
  ),
  'a list with a tag has the collections with this tag, ignoring case, and is counted': list.replaceWith(
    async ([visibility, page, containing, tag = null], original, { collections }) =>
      (await original.list(visibility, page, containing)).filter(
        ({ id }) => tag === null || collections.get(id)?.tags.includes(tag),
      ),
  ),
  'a client lists and counts only granted collections with a tag': list.mapArguments(
    ([visibility, page, containing, tag]) => [tag == null ? visibility : { scope: 'all' }, page, containing, tag],
  ),
  'the states of grants contain the state of the collection': grants.update.mapDecisionInput(([states]) => [
    states.map((state) => ({ ...state, lifecycle: 'active' as const })),
  ]),
  'the catalog shows retired collections only to those who have access': requests.listCatalog.mapResult(
    (entries, _args, { collections }) => entries.filter(({ id }) => collections.get(id)?.lifecycle.state !== 'retired'),
  ),
  'the members of the owner group own the collection, whether they were added or a token names the group':
    listOwnedIds.mapResult((ids, [profile], { groupMembers }) =>
      [...groupMembers.values()].some((members) => members.has(profile)) ? ids : [],
    ),
  'removing a group leaves the collections that it owned without an owner': groups.remove.restoreAfter(
    ({ collections }) => {
      const before = [...collections];
      return () => before.forEach(([key, collection]) => collections.set(key, collection));
    },
  ),
});
