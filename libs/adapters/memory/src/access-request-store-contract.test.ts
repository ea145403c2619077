import { accessRequestStoreContract, start } from '@portico/contracts';
import type { AccessRequest, NewRequestState, CatalogEntry, ListedRequest } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { create: ask, catalog, countPending, decide, discoverable, find, list } = breachesOf('requests');
const { remove: removeProfile } = breachesOf('profiles');

/** Changes the state that is passed to the decision about a new request. */
const mapAskState = (
  alter: (state: NewRequestState, now: number, database: MemoryDatabase) => Partial<NewRequestState>,
) => ask.mapDecisionInput(([state], [, , now], database) => [{ ...state, ...alter(state, now, database) }]);

/** Runs a side effect on the database after a request is decided. */
const runAfterDecision = (by: (database: MemoryDatabase, request: AccessRequest) => unknown) =>
  decide.runAfter((database, [id]) => {
    const request = database.requests.get(id);
    if (request) by(database, request);
  });

/** Reassigns a removed profile's requests to a remaining profile. */
const reassignRequests = removeProfile.restoreAfter(({ requests, profiles }) => {
  const before = [...requests];
  return () => {
    const [profileId] = profiles.keys();
    if (profileId) for (const [key, request] of before) requests.set(key, { ...request, profileId });
  };
});

proveStores('the memory request store', accessRequestStoreContract, {
  'the decision about a new request sees the profile and the collection': mapAskState(({ collection }) => ({
    collection: collection && { ...collection, discoverable: true },
  })),
  'the decision about a new request sees null for a missing profile or collection': mapAskState(
    ({ profile }, _now, database) => ({
      profile: profile ?? [...database.profiles.values()][0] ?? null,
    }),
  ),
  'the decision about a new request sees a grant of the profile or of its groups until it expires': mapAskState(
    ({ profile, collection }, _now, { grants }) => ({
      granted: Boolean(profile && collection && grants.get(profile.id)?.has(collection.id)),
    }),
  ),
  'the decision about a new request sees the pending requests of the pair and of the profile, but no decided ones':
    mapAskState(({ profile }, _now, { requests }) => ({
      pending: [...requests.values()].filter(({ profileId }) => profileId === profile?.id).length,
    })),
  'a new request is returned by every read, with the names of its profile and its collection': ask.mapDecision(
    ({ request, ...effects }) => ({
      request: { ...request, reason: request.reason.replace(/<[^>]*>/g, '') },
      ...effects,
    }),
  ),
  'a new request writes its effects': ask.withoutEffects(),
  'a new request rethrows an error from the decision and changes nothing': ask.writeEntryOnFailure(),
  'a new request begins its commit in time or not at all': ask.withoutDeadline(),
  'of concurrent calls for one pair, exactly one sees no pending request': ask.applyStaleDecision(),
  'a missing request is not found': find.replaceWith(async ([id], original, { profiles, collections }) => {
    const [profile, collection] = [[...profiles.values()][0], [...collections.values()][0]];
    const match = await original.find(id);
    return match || !profile || !collection ? match : ({ id, collectionName: collection.name } as ListedRequest);
  }),
  'a request has the current names of its profile and its collection': breakPort(
    'requests',
    (original, { collections }) => {
      const names = new Map<string, string>();
      return {
        create: async (asker, collection, now, decide) => {
          names.set(collection, (await collections.find(collection))?.name ?? '');
          await original.create(asker, collection, now, decide);
        },
        find: async (id) => {
          const match = await original.find(id);
          return match && { ...match, collectionName: names.get(match.collectionId) ?? '' };
        },
      };
    },
  ),
  'a request is removed with its profile, and with its collection': reassignRequests,
  'a list has the requests that match the filter': list.mapArguments(([filter, page]) => [
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
  'a decision changes the status, its time and the answer, and nothing else': breakPort(
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
  'the grant of a decision applies to its pair only, and every read sees it': runAfterDecision(
    ({ collections, grants }, { profileId }) => {
      for (const id of collections.keys()) grants.get(profileId)?.set(id, { grantedAt: start + 3, expiresAt: null });
    },
  ),
  'the grant of a decision replaces an expired one': decide.mapDecision(({ grant, ...change }) => ({
    ...change,
    ...(grant ? { grant: { ...grant, expiresAt: 2 } } : {}),
  })),
  'the grant of a decision increases the grants epoch of the profile': runAfterDecision(({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a decision writes its effects': decide.withoutEffects(),
  'a decision that throws changes nothing, and its error is rethrown': decide.writeEntryOnFailure(),
  'a decision begins its commit in time or not at all': decide.withoutDeadline(),
  'of concurrent decisions exactly one sees the request pending': decide.applyStaleDecision(),
  'the catalog has the discoverable collections and those visible to the reader, with the access to each':
    catalog.mapArguments(([reader, page]) => [reader.of === 'granted' ? { ...reader, at: start } : reader, page]),
  'the catalog shows no decided requests, and no hidden collections with a pending request': catalog.mapResult(
    (lines, _args, { requests }) => {
      const ids = new Set([...requests.values()].map(({ collectionId }) => collectionId));
      return lines.map((line) => (ids.has(line.id) ? { ...line, access: 'requested' } : line));
    },
  ),
  'the pending requests are counted': countPending.replaceWith(async (_args, _original, { requests }) => requests.size),
  'a collection whose grant was revoked leaves the catalog': breakPort('requests', (original) => {
    const entries = new Map<string, CatalogEntry>();
    return {
      catalog: async (reader, page) => {
        for (const line of await original.catalog(reader, page)) entries.set(line.id, line);
        return [...entries.values()];
      },
    };
  }),
  'the pages of the catalog are contiguous and sorted like lists': catalog.mapResult((lines) => lines.toReversed()),
  'the catalog can be searched for a part of a name or description, ignoring the case of ASCII letters':
    catalog.replaceWith(async ([reader, page], original) => {
      const lines = await original.catalog(reader, { ...page, containing: null });
      const searchText = (page.containing ?? '').toLowerCase();
      return lines.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(searchText));
    }),
  'of the given collections, the discoverable ones are returned': discoverable.mapResult(
    (matches, [ids]) => new Set([...matches, ...ids]),
  ),
});
