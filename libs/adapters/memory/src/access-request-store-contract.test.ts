import { accessRequestStoreContract, start } from '@portico/contracts';
import type { AccessRequest, NewRequestState, CatalogEntry, ListedRequest } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { create, listCatalog, countPending, decide, findDiscoverable, find, list } = breachesOf('requests');
const { remove: removeProfile } = breachesOf('profiles');

/** Changes the state that is passed to the decision about a new request. */
const mapAskState = (
  alter: (state: NewRequestState, now: number, database: MemoryDatabase) => Partial<NewRequestState>,
) => create.mapDecisionInput(([state], [, , now], database) => [{ ...state, ...alter(state, now, database) }]);

/** Runs a side effect on the database after a request is decided. */
const runAfterDecision = (sideEffect: (database: MemoryDatabase, request: AccessRequest) => unknown) =>
  decide.runAfter((database, [id]) => {
    const request = database.requests.get(id);
    if (request) sideEffect(database, request);
  });

/** Reassigns a removed profile's requests to a remaining profile. */
const reassignRequests = removeProfile.restoreAfter(({ requests, profiles }) => {
  const requestsBefore = [...requests];
  return () => {
    const [profileId] = profiles.keys();
    if (profileId) for (const [key, request] of requestsBefore) requests.set(key, { ...request, profileId });
  };
});

proveStores('the memory request store', accessRequestStoreContract, {
  'the decision about a new request sees the profile and the collection': mapAskState(({ collection }) => ({
    collection: collection && { ...collection, discoverable: true },
  })),
  'the decision about a new request sees null if the profile or the collection does not exist': mapAskState(
    ({ profile }, _now, database) => ({
      profile: profile ?? [...database.profiles.values()][0] ?? null,
    }),
  ),
  'the decision about a new request sees a grant of the profile or of its groups until it expires': mapAskState(
    ({ profile, collection }, _now, { grants }) => ({
      hasGrant: Boolean(profile && collection && grants.get(profile.id)?.has(collection.id)),
    }),
  ),
  'the decision about a new request sees the pending requests of the pair and of the profile, but not the decided ones':
    mapAskState(({ profile }, _now, { requests }) => ({
      pendingCount: [...requests.values()].filter(({ profileId }) => profileId === profile?.id).length,
    })),
  'every read returns a new request with the names of its profile and its collection': create.mapDecision(
    ({ request, ...effects }) => ({
      request: { ...request, reason: request.reason.replace(/<[^>]*>/g, '') },
      ...effects,
    }),
  ),
  'creating a request writes its effects': create.dropEffects(),
  'creating a request rethrows an error from the decision and changes nothing': create.writeEntryOnFailure(),
  'creating a request starts to commit before its deadline or writes nothing': create.ignoreDeadline(),
  'when requests for the same pair are created concurrently, only one decision sees no pending request':
    create.applyStaleDecision(),
  'a missing request is not found': find.replaceWith(async ([id], original, { profiles, collections }) => {
    const [profile, collection] = [[...profiles.values()][0], [...collections.values()][0]];
    const request = await original.find(id);
    return request || !profile || !collection ? request : ({ id, collectionName: collection.name } as ListedRequest);
  }),
  'a request shows the current names of its profile and its collection': breakPort(
    'requests',
    (original, { collections }) => {
      const names = new Map<string, string>();
      return {
        create: async (requester, collection, now, decide) => {
          names.set(collection, (await collections.find(collection))?.name ?? '');
          await original.create(requester, collection, now, decide);
        },
        find: async (id) => {
          const request = await original.find(id);
          return request && { ...request, collectionName: names.get(request.collectionId) ?? '' };
        },
      };
    },
  ),
  'removing a profile or a collection removes its requests': reassignRequests,
  'a list contains the requests that match the filter': list.mapArguments(([filter, page]) => [
    { ...filter, collectionId: null },
    page,
  ]),
  'a list is sorted by time in either direction, and its pages are contiguous': list.mapArguments(([filter, page]) => [
    filter,
    { ...page, order: 'oldest first' },
  ]),
  'the decision about a request sees it with its profile and grant': decide.mapDecisionInput(([state]) => [
    { ...state, grant: null },
  ]),
  'a missing request cannot be decided': decide.replaceWith(async ([id, decide], original, { requests }) => {
    if (requests.has(id)) await original.decide(id, decide);
  }),
  'a decision changes only the status, the time of the decision and the answer': breakPort(
    'requests',
    (original, _stores, { requests }) => ({
      decide: (id, decide) =>
        original.decide(id, (state) => {
          const change = decide(state);
          setImmediate(() => requests.set(id, change.request));
          return change;
        }),
      find: (id) => pause().then(() => original.find(id)),
    }),
  ),
  'the grant of a decision applies only to its pair, and every read sees it': runAfterDecision(
    ({ collections, grants }, { profileId }) => {
      for (const id of collections.keys())
        grants.get(profileId)?.set(id, { grantedAt: start + 3, expiresAt: null, rule: null });
    },
  ),
  'the grant of a decision replaces an expired one': decide.mapDecision(({ grant, ...change }) => ({
    ...change,
    ...(grant ? { grant: { ...grant, expiresAt: 2 } } : {}),
  })),
  'the grant of a decision increases the grants epoch of the profile': runAfterDecision(({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a decision writes its effects': decide.dropEffects(),
  'a decision that throws changes nothing, and its error is rethrown': decide.writeEntryOnFailure(),
  'a decision starts to commit before its deadline or writes nothing': decide.ignoreDeadline(),
  'when the same request is decided concurrently, only one decision sees it as pending': decide.applyStaleDecision(),
  "the catalog contains the discoverable collections and those visible to the reader, and shows the reader's access to each":
    listCatalog.mapArguments(([visibility, page]) => [
      visibility.scope === 'granted' ? { ...visibility, now: start } : visibility,
      page,
    ]),
  'the catalog shows neither decided requests nor hidden collections with a pending request': listCatalog.mapResult(
    (lines, _args, { requests }) => {
      const ids = new Set([...requests.values()].map(({ collectionId }) => collectionId));
      return lines.map((line) => (ids.has(line.id) ? { ...line, access: 'requested' } : line));
    },
  ),
  'the pending requests are counted': countPending.replaceWith(async (_args, _original, { requests }) => requests.size),
  'a hidden collection whose grant was revoked is not in the catalog': breakPort('requests', (original) => {
    const entries = new Map<string, CatalogEntry>();
    return {
      listCatalog: async (visibility, page) => {
        for (const line of await original.listCatalog(visibility, page)) entries.set(line.id, line);
        return [...entries.values()];
      },
    };
  }),
  'the pages of the catalog are contiguous and sorted like lists of collections': listCatalog.mapResult((lines) =>
    lines.toReversed(),
  ),
  'the catalog can be searched for part of a name or description, ignoring the case of ASCII letters':
    listCatalog.replaceWith(async ([visibility, page], original) => {
      const lines = await original.listCatalog(visibility, { ...page, containing: null });
      const searchText = (page.containing ?? '').toLowerCase();
      return lines.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(searchText));
    }),
  'only the discoverable collections among the given ones are returned': findDiscoverable.mapResult(
    (matches, [ids]) => new Set([...matches, ...ids]),
  ),
});
