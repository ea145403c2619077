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
import { byCodePoints, commit, frozenCopy, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { liveWays } from './memory-memberships.ts';

export const createMemoryRequestStore = (database: MemoryDatabase): AccessRequestStore => {
  const { profiles, collections, grants, requests } = database;

  return {
    async create(requester, collectionId, now, decide) {
      const collection = collections.get(collectionId);
      const pendingRequests = pendingOf(database, requester);
      const change = decide({
        profile: profiles.get(requester) ?? null,
        collection: collection
          ? { id: collectionId, name: collection.name, discoverable: collection.discoverable }
          : null,
        granted: liveWays(database, requester, collectionId, now).length > 0,
        requested: pendingRequests.some((request) => request.collectionId === collectionId),
        pending: pendingRequests.length,
      });
      rejectDangling(database, change.request);
      commit(database, change, () => requests.set(change.request.id, frozenCopy(change.request)));
    },

    async find(id) {
      const request = requests.get(id);
      return request ? toListedRequest(database, request) : null;
    },

    async countPending() {
      return [...requests.values()].filter(({ status }) => status === 'pending').length;
    },

    async list(filter, page) {
      const matches = [...requests.values()].filter((request) => matchesFilter(filter, request)).sort(oldestFirst);
      if (page.order === 'newest first') matches.reverse();
      return matches
        .filter((request) => isAfterCursor(request, page))
        .slice(0, page.limit)
        .map((request) => toListedRequest(database, request));
    },

    async decide(id, decide) {
      const request = requests.get(id);
      const profile = request && profiles.get(request.profileId);
      if (!profile) throw new PorticoError('request_not_found');
      const { profileId, collectionId } = request;
      const grant = grants.get(profileId)?.get(collectionId) ?? null;
      const change = decide({ request: toListedRequest(database, request), profile, grant });
      const { status, decidedAt, answer } = change.request;
      commit(database, change, () => {
        requests.set(id, frozenCopy({ ...request, status, decidedAt, answer }));
        if (change.grant) putGrant(database, request, change.grant);
      });
    },

    async catalog(reader, { containing, limit, after }) {
      const searchText = containing === null ? null : toAsciiLowerCase(containing);
      const entries = inListOrder([...collections.values()]).flatMap((collection) => {
        const { id, name, description } = collection;
        const access = accessOf(database, reader, collection);
        const isMatch =
          searchText === null || [name, description].some((text) => toAsciiLowerCase(text).includes(searchText));
        return access && isMatch ? [{ id, name, description, access }] : [];
      });
      return entries.filter((entry) => isAfter(entry, after)).slice(0, limit);
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

const rejectDangling = (
  { profiles, collections }: MemoryDatabase,
  { profileId, collectionId }: AccessRequest,
): void => {
  if (!profiles.has(profileId) || !collections.has(collectionId))
    throw new Error('A request needs a profile and a collection.');
};

const toListedRequest = ({ profiles, collections }: MemoryDatabase, request: AccessRequest): ListedRequest => {
  const [profile, collection] = [profiles.get(request.profileId), collections.get(request.collectionId)];
  if (!profile || !collection) throw new Error(`Request ${request.id} outlived its profile or collection.`);
  const { email, fullName } = profile;
  return { ...request, email, fullName, collectionName: collection.name, discoverable: collection.discoverable };
};

const matchesFilter = ({ status, profileId, collectionId }: RequestFilter, request: AccessRequest): boolean =>
  (status === null || request.status === status) &&
  (profileId === null || request.profileId === profileId) &&
  (collectionId === null || request.collectionId === collectionId);

type Cursor = Pick<AccessRequest, 'createdAt' | 'id'>;

const oldestFirst = (a: Cursor, b: Cursor): number => a.createdAt - b.createdAt || byCodePoints(a.id, b.id);

const isAfterCursor = (request: Cursor, { order, after }: RequestPage): boolean =>
  after === null || (order === 'oldest first' ? oldestFirst(request, after) > 0 : oldestFirst(request, after) < 0);

/** Returns the reader's access to a collection; null if the catalog hides the collection from the reader. */
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

/** Lowercases only ASCII letters, as the databases do. */
const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
