import { type Principal, isAdmin, listVersionOf, visibilityOf } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** The maximum size of all sets together. */
const bytesMax = 64 * 1024 * 1024;

/**
 * The size of an id: its text, its slot in the array, and the data that both indexes store for it per array. Measured
 * on Node 24.
 */
const idBytes = 100;

/** The size of a set besides its ids. */
const setBytes = 500;

/** The collections that a search may find. */
export interface VisibleSet {
  /** Without those that are retired. */
  readonly ids: readonly CollectionId[];
  /** Those of them that are deprecated. */
  readonly deprecatedIds: ReadonlySet<CollectionId>;
}

interface CachedSet extends VisibleSet {
  readonly version: string;
}

/** Returns the collections that searches of a caller may find: the same arrays for as long as they are valid. */
export type VisibleSets = (principal: Principal) => Promise<VisibleSet>;

/** The state that the searches share. */
export interface WithVisibleSets {
  readonly visibleSets: VisibleSets;
}

/**
 * Caches the ids that callers may find, by the callers' `listVersionOf`: after a grant, a revocation or a change, the old
 * set is never found again. The least recently used sets are evicted first; the last one read is always cached.
 */
export const createVisibleSets = ({ collections }: Pick<Ports, 'collections'>): VisibleSets => {
  const sets = new Map<string, CachedSet>();
  let bytes = 0;

  const evict = (key: string): void => {
    const set = sets.get(key);
    if (set) bytes -= sizeOf(set);
    sets.delete(key);
  };

  const store = (key: string, set: CachedSet): void => {
    evict(key);
    sets.set(key, set);
    bytes += sizeOf(set);
    for (const oldestKey of sets.keys()) {
      if (bytes <= bytesMax || sets.size === 1) return;
      evict(oldestKey);
    }
  };

  return async (principal) => {
    const key = isAdmin(principal.profile) ? 'all' : principal.profile.id;
    const version = listVersionOf(principal);
    const cachedSet = sets.get(key);
    const set = cachedSet?.version === version ? cachedSet : { version, ...(await readSet(collections, principal)) };
    store(key, set);
    return set;
  };
};

const readSet = async (collections: Ports['collections'], principal: Principal): Promise<VisibleSet> => {
  const ids = await collections.listVisibleIds(visibilityOf(principal));
  const inactive = ids.length === 0 ? new Map() : await collections.listInactive();
  if (inactive.size === 0) return { ids, deprecatedIds: new Set() };
  return {
    ids: ids.filter((id) => inactive.get(id) !== 'retired'),
    deprecatedIds: new Set(ids.filter((id) => inactive.get(id) === 'deprecated')),
  };
};

const sizeOf = ({ ids, deprecatedIds }: VisibleSet): number => setBytes + (ids.length + deprecatedIds.size) * idBytes;
