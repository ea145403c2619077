import { accessRequestStoreContract, noEffects, type Sabotages, start, type Stores } from '@portico/contracts';
import type {
  AccessRequest,
  AccessRequestStore,
  AskState,
  CatalogLine,
  CatalogPage,
  ListedRequest,
  RequestChange,
  RequestFilter,
  RequestPage,
  RequestState,
  Visibility,
} from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Asks with a changed state. */
const askingOf = (alter: (state: AskState, now: number, database: MemoryDatabase) => Partial<AskState>) =>
  breaking('requests', (right, _stores, database) => ({
    ask: (asker, collection, now, decide) =>
      right.ask(asker, collection, now, (state) => decide({ ...state, ...alter(state, now, database) })),
  }));

/** Decides with a changed state, or with a changed change. */
const deciding = (
  alter: (state: RequestState) => RequestState,
  change: (change: RequestChange) => RequestChange = (right) => right,
) =>
  breaking('requests', (right) => ({
    decide: (id, decide) => right.decide(id, (state) => change(decide(alter(state)))),
  }));

/** A decision with a side effect afterwards. */
const followed = (by: (database: MemoryDatabase, request: AccessRequest) => unknown) =>
  breaking('requests', (right, _stores, database) => ({
    decide: async (id, decide) => {
      await right.decide(id, decide);
      const request = database.requests.get(id);
      if (request) by(database, request);
    },
  }));

const listing = (other: (filter: RequestFilter, page: RequestPage) => Parameters<AccessRequestStore['list']>) =>
  breaking('requests', (right) => ({ list: (filter, page) => right.list(...other(filter, page)) }));

const catalog = (
  other: (reader: Visibility, page: CatalogPage) => Parameters<AccessRequestStore['catalog']>,
  alter: (lines: readonly CatalogLine[], database: MemoryDatabase) => readonly CatalogLine[] = (lines) => lines,
) =>
  breaking('requests', (right, _stores, database) => ({
    catalog: async (reader, page) => alter(await right.catalog(...other(reader, page)), database),
  }));

const asAsked = (reader: Visibility, page: CatalogPage): Parameters<AccessRequestStore['catalog']> => [reader, page];

/** Keeps the requests of what is removed, for profiles and collections that are there. */
const outliving = breaking('profiles', (right, _stores, { requests, profiles }) => ({
  remove: async (id, decide) => {
    const before = [...requests];
    await right.remove(id, decide);
    const [heir] = profiles.keys();
    if (heir) for (const [key, request] of before) requests.set(key, { ...request, profileId: heir });
  },
}));

const sabotages: Sabotages<typeof accessRequestStoreContract, Stores> = {
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
  'asking adds the request, which every read then shows with the names of its objects': breaking(
    'requests',
    (right) => ({
      ask: (asker, collection, now, decide) =>
        right.ask(asker, collection, now, (state) => {
          const { request, ...effects } = decide(state);
          return { request: { ...request, reason: request.reason.replace(/<[^>]*>/g, '') }, ...effects };
        }),
    }),
  ),
  'asking writes its effects': breaking('requests', (right) => ({
    ask: (asker, collection, now, decide) => right.ask(asker, collection, now, silently(decide)),
  })),
  'asking rethrows what its decision throws, and changes nothing': breaking('requests', (right, stores) => ({
    ask: (asker, collection, now, decide) => leaking(stores, right.ask(asker, collection, now, decide)),
  })),
  'asking begins its commit in time or not at all': breaking('requests', (right) => ({
    ask: (asker, collection, now, decide) =>
      right.ask(asker, collection, now, (state) => ({ ...decide(state), deadline: null })),
  })),
  'of concurrent calls for one pair, exactly one sees no pending request': breaking(
    'requests',
    (right, _stores, database) => ({
      ask: async (asker, collection, now, decide) => {
        let seen: AskState | null = null;
        const look = right.ask(asker, collection, now, (state) => {
          seen = state;
          throw new Error('only to look');
        });
        await look.catch(() => undefined);
        await pause();
        if (seen) database.requests.set(decide(seen).request.id, decide(seen).request);
      },
    }),
  ),
  'a missing request is not found': breaking('requests', (right, _stores, { profiles, collections }) => ({
    find: async (id) => {
      const [profile, collection] = [[...profiles.values()][0], [...collections.values()][0]];
      const found = await right.find(id);
      return found || !profile || !collection ? found : ({ id, collectionName: collection.name } as ListedRequest);
    },
  })),
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
  'a list has the requests under the filter': listing((filter, page) => [{ ...filter, collectionId: null }, page]),
  'a list is in order of time, from either end, and its pages follow each other': listing((filter, page) => [
    filter,
    { ...page, order: 'oldest first' },
  ]),
  'the decision about a request sees it with its profile and grant': deciding((state) => ({ ...state, grant: null })),
  'a missing request cannot be decided': breaking('requests', (right, _stores, { requests }) => ({
    decide: async (id, decide) => {
      if (requests.has(id)) await right.decide(id, decide);
    },
  })),
  'a decision changes the status, its time and the answer, and nothing else': breaking(
    'requests',
    (right, _stores, { requests }) => ({
      decide: (id, decide) =>
        right.decide(id, (state) => {
          const change = decide(state);
          setImmediate(() => requests.set(id, change.request));
          return change;
        }),
      find: async (id) => {
        await pause();
        return right.find(id);
      },
    }),
  ),
  'a grant of a decision is the grant of its pair alone, and every read sees it': followed(
    ({ collections, grants }, { profileId }) => {
      for (const id of collections.keys()) grants.get(profileId)?.set(id, { grantedAt: start + 3, expiresAt: null });
    },
  ),
  'a grant of a decision replaces one that has expired': deciding(
    (state) => state,
    ({ grant, ...change }) => ({ ...change, ...(grant ? { grant: { ...grant, expiresAt: 2 } } : {}) }),
  ),
  'a grant of a decision makes the grants epoch of the profile grow': followed(({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a decision writes its effects': deciding(
    (state) => state,
    (change) => ({ ...change, ...noEffects }),
  ),
  'a decision rethrows what it throws, and changes nothing': breaking('requests', (right, stores) => ({
    decide: (id, decide) => leaking(stores, right.decide(id, decide)),
  })),
  'a decision begins its commit in time or not at all': deciding(
    (state) => state,
    (change) => ({ ...change, deadline: null }),
  ),
  'of concurrent decisions exactly one sees the request pending': breaking('requests', (right) => ({
    decide: async (id, decide) => {
      let seen: RequestState | null = null;
      const look = right.decide(id, (state) => {
        seen = state;
        throw new Error('only to look');
      });
      await look.catch(() => undefined);
      await pause();
      const stale = seen;
      if (stale) await right.decide(id, () => decide(stale));
    },
  })),
  'the catalog has the discoverable collections and those that the reader may see, with what it has of each': catalog(
    (reader, page) => [reader.of === 'granted' ? { ...reader, at: start } : reader, page],
  ),
  'the catalog shows no decided request, and nothing of a hidden collection with a pending one': catalog(
    asAsked,
    (lines, { requests }) => {
      const wanted = new Set([...requests.values()].map(({ collectionId }) => collectionId));
      return lines.map((line) => (wanted.has(line.id) ? { ...line, access: 'requested' } : line));
    },
  ),
  'the pending requests are counted': breaking('requests', (_right, _stores, { requests }) => ({
    countPending: async () => requests.size,
  })),
  'a collection whose grant was revoked leaves the catalog': breaking('requests', (right) => {
    const kept = new Map<string, CatalogLine>();
    return {
      catalog: async (reader, page) => {
        for (const line of await right.catalog(reader, page)) kept.set(line.id, line);
        return [...kept.values()];
      },
    };
  }),
  'the pages of the catalog follow each other in the order of lists': catalog(asAsked, (lines) => lines.toReversed()),
  'the catalog can be searched for a part of a name or description, without regard to the case of ASCII letters':
    breaking('requests', (right) => ({
      catalog: async (reader, page) => {
        const lines = await right.catalog(reader, { ...page, containing: null });
        const wanted = (page.containing ?? '').toLowerCase();
        return lines.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted));
      },
    })),
  'those of some collections that are discoverable': breaking('requests', (right) => ({
    discoverable: async (ids) => new Set([...(await right.discoverable(ids)), ...ids]),
  })),
};

describe('the memory request store', () => {
  proveContract(accessRequestStoreContract, sabotages, createMemoryStores);
});
