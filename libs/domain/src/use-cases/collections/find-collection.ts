import { type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionReference } from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Returns the id of the referenced collection, from among those that the caller may see; does not check whether an id
 * exists. Throws `collection_not_found` if no collection has the name, and `name_shared` if several have it.
 */
export const findVisibleCollection =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async (principal: Principal, reference: CollectionReference): Promise<CollectionId> => {
    if (reference.by === 'id') return reference.id;
    const [collection, ...otherMatches] = await collections.findByNames(visibilityOf(principal), [reference.name]);
    if (otherMatches.length > 0) throw new PorticoError('name_shared');
    if (!collection) throw new PorticoError('collection_not_found');
    return collection.id;
  };
