import { type Principal, isAdmin, listVersion, visibilityOf } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/** For all sets together. */
const bytesMax = 64 * 1024 * 1024;

/** What an id takes: its text, its place in the array, and what both indexes keep for it by the array. Measured on Node 24. */
const idBytes = 100;

/** What a set takes besides its ids. */
const setBytes = 500;

interface VisibleSet {
  readonly version: string;
  readonly ids: readonly CollectionId[];
}

/** Returns the ids that a caller may see, as the same array as long as it is valid. */
export type VisibleSets = (principal: Principal) => Promise<readonly CollectionId[]>;

/** What the searches share. */
export interface Seeing {
  readonly visibleSets: VisibleSets;
}

/**
 * Keeps the ids that callers may see under their `listVersion`: after a grant, a revocation or a change the old set is
 * never found again. The least recently used are forgotten first; the last one read is always kept.
 */
export const createVisibleSets = ({ collections }: Pick<Ports, 'collections'>): VisibleSets => {
  const sets = new Map<string, VisibleSet>();
  let bytes = 0;

  const forget = (key: string): void => {
    const set = sets.get(key);
    if (set) bytes -= sizeOf(set);
    sets.delete(key);
  };

  const keep = (key: string, set: VisibleSet): void => {
    forget(key);
    sets.set(key, set);
    bytes += sizeOf(set);
    for (const oldest of sets.keys()) {
      if (bytes <= bytesMax || sets.size === 1) return;
      forget(oldest);
    }
  };

  return async (principal) => {
    const key = isAdmin(principal.profile) ? 'all' : principal.profile.id;
    const version = listVersion(principal);
    const known = sets.get(key);
    const set =
      known?.version === version ? known : { version, ids: await collections.visibleIds(visibilityOf(principal)) };
    keep(key, set);
    return set.ids;
  };
};

const sizeOf = ({ ids }: VisibleSet): number => setBytes + ids.length * idBytes;
