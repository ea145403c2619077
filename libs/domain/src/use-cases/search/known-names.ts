import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * The names of collections, each read once in an epoch of the catalog: any change of a collection begins another. Those
 * that are gone have none.
 */
export const createKnownNames = ({ collections }: Pick<Ports, 'collections'>) => {
  let kept = { catalog: -1, names: new Map<CollectionId, string>() };
  return async (ids: readonly CollectionId[], catalog: number): Promise<ReadonlyMap<CollectionId, string>> => {
    if (catalog > kept.catalog) kept = { catalog, names: new Map() };
    // A request that was admitted before the change keeps nothing.
    const names = catalog === kept.catalog ? kept.names : new Map<CollectionId, string>();
    const unknown = ids.filter((id) => !names.has(id));
    if (unknown.length > 0) for (const [id, name] of await collections.names(unknown)) names.set(id, name);
    return names;
  };
};
