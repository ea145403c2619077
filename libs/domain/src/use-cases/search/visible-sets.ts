import { type Principal, isAdmin, visibilityOf } from '../../access/principal.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

const setsMax = 1_000;

interface VisibleSet {
  readonly epoch: string;
  readonly ids: readonly CollectionId[];
}

/**
 * The ids that a caller may see, kept under the epochs that its request has read from the database: a grant, a
 * revocation or a deletion changes an epoch, and the old set is never found again. Returns the same array as long as it
 * is valid.
 */
export const createVisibleSets = ({ collections }: Pick<Ports, 'collections'>) => {
  const sets = new Map<string, VisibleSet>();
  return async (principal: Principal): Promise<readonly CollectionId[]> => {
    const admin = isAdmin(principal.profile);
    const key = admin ? 'all' : principal.profile.id;
    const epoch = `${principal.epochs.catalog}/${admin ? '' : principal.epochs.grants}/${principal.profile.status}`;
    const kept = sets.get(key);
    if (kept?.epoch === epoch) return kept.ids;
    const ids = await collections.visibleIds(visibilityOf(principal));
    sets.delete(key);
    sets.set(key, { epoch, ids });
    const oldest = sets.keys().next();
    if (sets.size > setsMax && !oldest.done) sets.delete(oldest.value);
    return ids;
  };
};
