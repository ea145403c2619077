import type {
  AccessRequest,
  AccessRequestStore,
  CatalogAccess,
  Collection,
  Grant,
  ListedRequest,
  ProfileId,
  RequestFilter,
  RequestPage,
  Visibility,
} from '@portico/domain';
import { PorticoError } from '@portico/domain';
import { inListOrder, isAfter } from './memory-collection-store.ts';
import { byCodePoints, commit, kept, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { liveWays } from './memory-memberships.ts';

export const createMemoryRequestStore = (database: MemoryDatabase): AccessRequestStore => {
  const { profiles, collections, grants, requests } = database;

  return {
    async ask(asker, collectionId, now, decide) {
      const collection = collections.get(collectionId);
      const own = pendingOf(database, asker);
      const change = decide({
        profile: profiles.get(asker) ?? null,
        collection: collection
          ? { id: collectionId, name: collection.name, discoverable: collection.discoverable }
          : null,
        granted: liveWays(database, asker, collectionId, now).length > 0,
        requested: own.some((request) => request.collectionId === collectionId),
        pending: own.length,
      });
      refuseDangling(database, change.request);
      commit(database, change, () => requests.set(change.request.id, kept(change.request)));
    },

    async find(id) {
      const request = requests.get(id);
      return request ? listed(database, request) : null;
    },

    async countPending() {
      return [...requests.values()].filter(({ status }) => status === 'pending').length;
    },

    async list(filter, page) {
      const found = [...requests.values()].filter((request) => isUnder(filter, request)).sort(oldestFirst);
      if (page.order === 'newest first') found.reverse();
      return found
        .filter((request) => isBeyond(request, page))
        .slice(0, page.limit)
        .map((request) => listed(database, request));
    },

    async decide(id, decide) {
      const request = requests.get(id);
      const profile = request && profiles.get(request.profileId);
      if (!profile) throw new PorticoError('request_not_found');
      const { profileId, collectionId } = request;
      const grant = grants.get(profileId)?.get(collectionId) ?? null;
      const change = decide({ request: listed(database, request), profile, grant });
      const { status, decidedAt, answer } = change.request;
      commit(database, change, () => {
        requests.set(id, kept({ ...request, status, decidedAt, answer }));
        if (change.grant) putGrant(database, request, change.grant);
      });
    },

    async catalog(reader, { containing, limit, after }) {
      const wanted = containing === null ? null : lowered(containing);
      const lines = inListOrder([...collections.values()]).flatMap((collection) => {
        const { id, name, description } = collection;
        const access = accessOf(database, reader, collection);
        const isWanted = wanted === null || [name, description].some((text) => lowered(text).includes(wanted));
        return access && isWanted ? [{ id, name, description, access }] : [];
      });
      return lines.filter((line) => isAfter(line, after)).slice(0, limit);
    },

    async discoverable(ids) {
      return new Set(ids.filter((id) => collections.get(id)?.discoverable));
    },
  };
};

const pendingOf = ({ requests }: MemoryDatabase, profile: ProfileId): readonly AccessRequest[] =>
  [...requests.values()].filter(({ profileId, status }) => profileId === profile && status === 'pending');

const putGrant = (
  database: MemoryDatabase,
  { profileId, collectionId }: AccessRequest,
  { grantedAt, expiresAt }: Grant,
): void => {
  const { grants } = database;
  grants.set(profileId, new Map(grants.get(profileId)).set(collectionId, { grantedAt, expiresAt }));
  touchGrants(database, profileId);
};

const refuseDangling = (
  { profiles, collections }: MemoryDatabase,
  { profileId, collectionId }: AccessRequest,
): void => {
  if (!profiles.has(profileId) || !collections.has(collectionId))
    throw new Error('A request needs a profile and a collection.');
};

const listed = ({ profiles, collections }: MemoryDatabase, request: AccessRequest): ListedRequest => {
  const [profile, collection] = [profiles.get(request.profileId), collections.get(request.collectionId)];
  if (!profile || !collection) throw new Error(`Request ${request.id} outlived its profile or collection.`);
  const { email, fullName } = profile;
  return { ...request, email, fullName, collectionName: collection.name, discoverable: collection.discoverable };
};

const isUnder = ({ status, profileId, collectionId }: RequestFilter, request: AccessRequest): boolean =>
  (status === null || request.status === status) &&
  (profileId === null || request.profileId === profileId) &&
  (collectionId === null || request.collectionId === collectionId);

type Place = Pick<AccessRequest, 'createdAt' | 'id'>;

const oldestFirst = (a: Place, b: Place): number => a.createdAt - b.createdAt || byCodePoints(a.id, b.id);

const isBeyond = (request: Place, { order, after }: RequestPage): boolean =>
  after === null || (order === 'oldest first' ? oldestFirst(request, after) > 0 : oldestFirst(request, after) < 0);

/** What the reader has of a collection; null if the catalog does not show it to the reader. */
const accessOf = (
  database: MemoryDatabase,
  reader: Visibility,
  { id, discoverable }: Collection,
): CatalogAccess | null => {
  if (reader.of === 'all') return 'granted';
  if (reader.of === 'granted') {
    if (liveWays(database, reader.to, id, reader.at).length > 0) return 'granted';
    const isRequested = pendingOf(database, reader.to).some(({ collectionId }) => collectionId === id);
    if (discoverable && isRequested) return 'requested';
  }
  return discoverable ? 'none' : null;
};

/** ASCII letters alone, as the databases do. */
const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
