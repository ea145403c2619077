import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Caches the names of collections, each of which is read once per catalog epoch: any change to a collection starts a
 * new epoch. Removed collections have no name.
 */
export const createNameCache = ({ collections }: Pick<Ports, 'collections'>) => {
  let cache = { catalog: -1, names: new Map<CollectionId, string>() };
  return async (ids: readonly CollectionId[], catalog: number): Promise<ReadonlyMap<CollectionId, string>> => {
    if (catalog > cache.catalog) cache = { catalog, names: new Map() };
    // A request that was admitted before the change caches nothing.
    const names = catalog === cache.catalog ? cache.names : new Map<CollectionId, string>();
    const unknownIds = ids.filter((id) => !names.has(id));
    if (unknownIds.length > 0) for (const [id, name] of await collections.findNames(unknownIds)) names.set(id, name);
    return names;
  };
};
