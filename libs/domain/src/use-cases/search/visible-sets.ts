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

interface VisibleSet {
  readonly version: string;
  readonly ids: readonly CollectionId[];
}

/** Returns the ids that a caller may see: the same array for as long as it is valid. */
export type VisibleSets = (principal: Principal) => Promise<readonly CollectionId[]>;

/** The state that the searches share. */
export interface WithVisibleSets {
  readonly visibleSets: VisibleSets;
}

/**
 * Caches the ids that callers may see, by the callers' `listVersionOf`: after a grant, a revocation or a change, the old
 * set is never found again. The least recently used sets are evicted first; the last one read is always cached.
 */
export const createVisibleSets = ({ collections }: Pick<Ports, 'collections'>): VisibleSets => {
  const sets = new Map<string, VisibleSet>();
  let bytes = 0;

  const evict = (key: string): void => {
    const set = sets.get(key);
    if (set) bytes -= sizeOf(set);
    sets.delete(key);
  };

  const store = (key: string, set: VisibleSet): void => {
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
    const set =
      cachedSet?.version === version
        ? cachedSet
        : { version, ids: await collections.listVisibleIds(visibilityOf(principal)) };
    store(key, set);
    return set.ids;
  };
};

const sizeOf = ({ ids }: VisibleSet): number => setBytes + ids.length * idBytes;
