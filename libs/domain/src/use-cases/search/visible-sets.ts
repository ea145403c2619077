import { type Principal, isAdmin, listVersion, visibilityOf } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

const setsMax = 1_000;

interface VisibleSet {
  readonly version: string;
  readonly ids: readonly CollectionId[];
}

/**
 * The ids that a caller may see, kept under their `listVersion`: after a grant, a revocation or a change the old set is
 * never found again. Returns the same array as long as it is valid.
 */
export const createVisibleSets = ({ collections }: Pick<Ports, 'collections'>) => {
  const sets = new Map<string, VisibleSet>();
  return async (principal: Principal): Promise<readonly CollectionId[]> => {
    const key = isAdmin(principal.profile) ? 'all' : principal.profile.id;
    const version = listVersion(principal);
    const kept = sets.get(key);
    if (kept?.version === version) return kept.ids;
    const ids = await collections.visibleIds(visibilityOf(principal));
    sets.delete(key);
    sets.set(key, { version, ids });
    const oldest = sets.keys().next();
    if (sets.size > setsMax && !oldest.done) sets.delete(oldest.value);
    return ids;
  };
};
