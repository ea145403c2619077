import type {
  AccessRequest,
  AccessRequestStore,
  CatalogAccess,
  Collection,
  Grant,
  ListedRequest,
  Profile,
  ProfileId,
  RequestFilter,
  RequestPage,
  RequestState,
  Visibility,
} from '@portico/domain';
import { PorticoError } from '@portico/domain';
import { sortInListOrder, isAfter } from './memory-collection-store.ts';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { listLiveAccessGrants, ownsCollection } from './memory-memberships.ts';

export const createMemoryRequestStore = (database: MemoryDatabase): AccessRequestStore => {
  const { profiles, collections, requests } = database;

  return {
    async create(requester, collectionId, now, decide) {
      const collection = collections.get(collectionId);
      const pendingRequests = pendingRequestsOf(database, requester);
      const change = decide({
        profile: profiles.get(requester) ?? null,
        collection: collection ? headOf(collection) : null,
        hasGrant: listLiveAccessGrants(database, requester, collectionId, now).length > 0,
        hasPendingRequest: pendingRequests.some((request) => request.collectionId === collectionId),
        pendingCount: pendingRequests.length,
      });
      rejectDangling(database, change.request);
      commit(database, change, () => requests.set(change.request.id, copyFrozen(change.request)));
    },

    async find(id) {
      const request = requests.get(id);
      return request ? toListedRequest(database, request) : null;
    },

    async countPending() {
      return [...requests.values()].filter(({ status }) => status === 'pending').length;
    },

    async list(filter, page) {
      const matches = [...requests.values()]
        .filter((request) => matchesFilter(database, filter, request))
        .sort(compareOldestFirst);
      if (page.order === 'newest first') matches.reverse();
      return matches
        .filter((request) => isAfterCursor(request, page))
        .slice(0, page.limit)
        .map((request) => toListedRequest(database, request));
    },

    async decide(id, decide, decider = null) {
      const request = requests.get(id);
      const profile = request && profiles.get(request.profileId);
      if (!profile) throw new PorticoError('request_not_found');
      const change = decide(decisionStateOf(database, { request, profile, decider }));
      const { status, decidedAt, answer } = change.request;
      commit(database, change, () => {
        requests.set(id, copyFrozen({ ...request, status, decidedAt, answer }));
        if (change.grant) putGrant(database, request, change.grant);
      });
    },

    async listCatalog(visibility, { containing, limit, after }) {
      const searchText = containing === null ? null : toAsciiLowerCase(containing);
      const entries = sortInListOrder([...collections.values()]).flatMap((collection) => {
        const { id, name, description } = collection;
        const access = accessOf(database, visibility, collection);
        const isMatch =
          searchText === null || [name, description].some((text) => toAsciiLowerCase(text).includes(searchText));
        return access && isMatch ? [{ id, name, description, access }] : [];
      });
      return entries.filter((entry) => isAfter(entry, after)).slice(0, limit);
    },

    findDiscoverable: async (ids) => new Set(ids.filter((id) => collections.get(id)?.discoverable)),
  };
};

const headOf = ({ id, name, discoverable, lifecycle }: Collection) => ({
  ...{ id, name, discoverable },
  lifecycle: lifecycle.state,
});

const decisionStateOf = (
  database: MemoryDatabase,
  {
    request,
    profile,
    decider,
  }: { readonly request: AccessRequest; readonly profile: Profile; readonly decider: ProfileId | null },
): RequestState => {
  const { profileId, collectionId } = request;
  return {
    request: toListedRequest(database, request),
    profile,
    grant: database.grants.get(profileId)?.get(collectionId) ?? null,
    lifecycle: database.collections.get(collectionId)?.lifecycle.state ?? 'active',
    isOwned: decider !== null && ownsCollection(database, decider, collectionId),
  };
};

const pendingRequestsOf = ({ requests }: MemoryDatabase, profile: ProfileId): readonly AccessRequest[] =>
  [...requests.values()].filter(({ profileId, status }) => profileId === profile && status === 'pending');

const putGrant = (
  database: MemoryDatabase,
  { profileId, collectionId }: AccessRequest,
  { grantedAt, expiresAt, rule }: Grant,
): void => {
  const { grants } = database;
  grants.set(profileId, new Map(grants.get(profileId)).set(collectionId, { grantedAt, expiresAt, rule }));
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

const matchesFilter = (
  database: MemoryDatabase,
  { status, profileId, collectionId, ownedBy = null }: RequestFilter,
  request: AccessRequest,
): boolean =>
  (status === null || request.status === status) &&
  (profileId === null || request.profileId === profileId) &&
  (collectionId === null || request.collectionId === collectionId) &&
  (ownedBy === null ||
    (request.profileId === ownedBy.profileId
      ? ownedBy.own === 'included'
      : ownsCollection(database, ownedBy.profileId, request.collectionId)));

type Cursor = Pick<AccessRequest, 'createdAt' | 'id'>;

const compareOldestFirst = (a: Cursor, b: Cursor): number => a.createdAt - b.createdAt || compareCodePoints(a.id, b.id);

const isAfterCursor = (request: Cursor, { order, after }: RequestPage): boolean =>
  after === null ||
  (order === 'oldest first' ? compareOldestFirst(request, after) > 0 : compareOldestFirst(request, after) < 0);

/** Returns the reader's access to a collection; null if the catalog hides the collection from the reader. */
const accessOf = (
  database: MemoryDatabase,
  visibility: Visibility,
  { id, discoverable, lifecycle }: Collection,
): CatalogAccess | null => {
  const isShown = discoverable && lifecycle.state !== 'retired';
  if (visibility.scope === 'all') return 'granted';
  if (visibility.scope === 'granted') {
    if (listLiveAccessGrants(database, visibility.profileId, id, visibility.now).length > 0) return 'granted';
    const isRequested = pendingRequestsOf(database, visibility.profileId).some(
      ({ collectionId }) => collectionId === id,
    );
    if (isShown && isRequested) return 'requested';
  }
  return isShown ? 'none' : null;
};

/** Lowercases only ASCII letters, as the databases do. */
const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
