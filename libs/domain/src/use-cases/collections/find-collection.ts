import { type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionReference } from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Returns the id of the collection that a reference names, among those that the caller may see; whether an id exists is
 * not looked up. Throws `collection_not_found` for a name that none has, `name_shared` for one that several have.
 */
export const findVisibleCollection =
  ({ collections }: Pick<Ports, 'collections'>) =>
  async (principal: Principal, reference: CollectionReference): Promise<CollectionId> => {
    if (reference.by === 'id') return reference.id;
    const [found, ...others] = await collections.findByNames(visibilityOf(principal), [reference.name]);
    if (others.length > 0) throw new PorticoError('name_shared');
    if (!found) throw new PorticoError('collection_not_found');
    return found.id;
  };
