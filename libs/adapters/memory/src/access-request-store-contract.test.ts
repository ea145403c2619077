import { accessRequestStoreContract, start } from '@portico/contracts';
import type { AccessRequest, AskState, CatalogLine, ListedRequest } from '@portico/domain';
import { breachesOf, breaking, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { ask, catalog, countPending, decide, discoverable, find, list } = breachesOf('requests');
const { remove: removeProfile } = breachesOf('profiles');

/** Asks with a changed state. */
const askingOf = (alter: (state: AskState, now: number, database: MemoryDatabase) => Partial<AskState>) =>
  ask.misleading(([state], [, , now], database) => [{ ...state, ...alter(state, now, database) }]);

/** A decision with a side effect afterwards on the database, about the request. */
const touching = (by: (database: MemoryDatabase, request: AccessRequest) => unknown) =>
  decide.followed((database, [id]) => {
    const request = database.requests.get(id);
    if (request) by(database, request);
  });

/** Keeps the requests of what is removed, for profiles and collections that are there. */
const outliving = removeProfile.leaving(({ requests, profiles }) => {
  const before = [...requests];
  return () => {
    const [heir] = profiles.keys();
    if (heir) for (const [key, request] of before) requests.set(key, { ...request, profileId: heir });
  };
});

proveStores('the memory request store', accessRequestStoreContract, {
  'the decision of asking sees the profile and the collection': askingOf(({ collection }) => ({
    collection: collection && { ...collection, discoverable: true },
  })),
  'the decision of asking sees null for a missing profile or collection': askingOf(({ profile }, _now, database) => ({
    profile: profile ?? [...database.profiles.values()][0] ?? null,
  })),
  'the decision of asking sees a grant of the profile or of its groups as long as it lasts': askingOf(
    ({ profile, collection }, _now, { grants }) => ({
      granted: Boolean(profile && collection && grants.get(profile.id)?.has(collection.id)),
    }),
  ),
  'the decision of asking sees the pending requests of the pair and of the profile, and no decided ones': askingOf(
    ({ profile }, _now, { requests }) => ({
      pending: [...requests.values()].filter(({ profileId }) => profileId === profile?.id).length,
    }),
  ),
  'asking adds the request, which every read then shows with the names of its objects': ask.deciding(
    ({ request, ...effects }) => ({
      request: { ...request, reason: request.reason.replace(/<[^>]*>/g, '') },
      ...effects,
    }),
  ),
  'asking writes its effects': ask.withoutEffects(),
  'asking rethrows what its decision throws, and changes nothing': ask.leaking(),
  'asking begins its commit in time or not at all': ask.withoutDeadline(),
  'of concurrent calls for one pair, exactly one sees no pending request': ask.stale(),
  'a missing request is not found': find.instead(async ([id], right, { profiles, collections }) => {
    const [profile, collection] = [[...profiles.values()][0], [...collections.values()][0]];
    const found = await right.find(id);
    return found || !profile || !collection ? found : ({ id, collectionName: collection.name } as ListedRequest);
  }),
  'a request has the present names of its objects': breaking('requests', (right, { collections }) => {
    const names = new Map<string, string>();
    return {
      ask: async (asker, collection, now, decide) => {
        names.set(collection, (await collections.find(collection))?.name ?? '');
        await right.ask(asker, collection, now, decide);
      },
      find: async (id) => {
        const found = await right.find(id);
        return found && { ...found, collectionName: names.get(found.collectionId) ?? '' };
      },
    };
  }),
  'a request goes with its profile, and with its collection': outliving,
  'a list has the requests under the filter': list.asking(([filter, page]) => [
    { ...filter, collectionId: null },
    page,
  ]),
  'a list is in order of time, from either end, and its pages follow each other': list.asking(([filter, page]) => [
    filter,
    { ...page, order: 'oldest first' },
  ]),
  'the decision about a request sees it with its profile and grant': decide.misleading(([state]) => [
    { ...state, grant: null },
  ]),
  'a missing request cannot be decided': decide.instead(async ([id, decide], right, { requests }) => {
    if (requests.has(id)) await right.decide(id, decide);
  }),
  'a decision changes the status, its time and the answer, and nothing else': breaking(
    'requests',
    (right, _stores, { requests }) => ({
      decide: (id, decide) =>
        right.decide(id, (state) => {
          const change = decide(state);
          setImmediate(() => requests.set(id, change.request));
          return change;
        }),
      find: (id) => pause().then(() => right.find(id)),
    }),
  ),
  'a grant of a decision is the grant of its pair alone, and every read sees it': touching(
    ({ collections, grants }, { profileId }) => {
      for (const id of collections.keys()) grants.get(profileId)?.set(id, { grantedAt: start + 3, expiresAt: null });
    },
  ),
  'a grant of a decision replaces one that has expired': decide.deciding(({ grant, ...change }) => ({
    ...change,
    ...(grant ? { grant: { ...grant, expiresAt: 2 } } : {}),
  })),
  'a grant of a decision makes the grants epoch of the profile grow': touching(({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a decision writes its effects': decide.withoutEffects(),
  'a decision rethrows what it throws, and changes nothing': decide.leaking(),
  'a decision begins its commit in time or not at all': decide.withoutDeadline(),
  'of concurrent decisions exactly one sees the request pending': decide.stale(),
  'the catalog has the discoverable collections and those that the reader may see, with what it has of each':
    catalog.asking(([reader, page]) => [reader.of === 'granted' ? { ...reader, at: start } : reader, page]),
  'the catalog shows no decided request, and nothing of a hidden collection with a pending one': catalog.returning(
    (lines, _asked, { requests }) => {
      const wanted = new Set([...requests.values()].map(({ collectionId }) => collectionId));
      return lines.map((line) => (wanted.has(line.id) ? { ...line, access: 'requested' } : line));
    },
  ),
  'the pending requests are counted': countPending.instead(async (_asked, _right, { requests }) => requests.size),
  'a collection whose grant was revoked leaves the catalog': breaking('requests', (right) => {
    const kept = new Map<string, CatalogLine>();
    return {
      catalog: async (reader, page) => {
        for (const line of await right.catalog(reader, page)) kept.set(line.id, line);
        return [...kept.values()];
      },
    };
  }),
  'the pages of the catalog follow each other in the order of lists': catalog.returning((lines) => lines.toReversed()),
  'the catalog can be searched for a part of a name or description, without regard to the case of ASCII letters':
    catalog.instead(async ([reader, page], right) => {
      const lines = await right.catalog(reader, { ...page, containing: null });
      const wanted = (page.containing ?? '').toLowerCase();
      return lines.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted));
    }),
  'those of some collections that are discoverable': discoverable.returning(
    (found, [ids]) => new Set([...found, ...ids]),
  ),
});
