import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Caches the names of collections, each read once per epoch of the catalog: any change of a collection starts another
 * epoch. Removed collections have no name.
 */
export const createNameCache = ({ collections }: Pick<Ports, 'collections'>) => {
  let cache = { catalog: -1, names: new Map<CollectionId, string>() };
  return async (ids: readonly CollectionId[], catalog: number): Promise<ReadonlyMap<CollectionId, string>> => {
    if (catalog > cache.catalog) cache = { catalog, names: new Map() };
    // A request that was admitted before the change caches nothing.
    const names = catalog === cache.catalog ? cache.names : new Map<CollectionId, string>();
    const unknown = ids.filter((id) => !names.has(id));
    if (unknown.length > 0) for (const [id, name] of await collections.names(unknown)) names.set(id, name);
    return names;
  };
};
