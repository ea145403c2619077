import { type AdminAuthority, type Principal, visibilityOf } from '../../access/principal.ts';
import type { Visibility } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionReference } from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

type Needs = Pick<Ports, 'collections'>;

/**
 * Returns the id of the collection that a reference names; whether an id exists is not looked up. Throws
 * `collection_not_found` for a name that no collection has, `name_shared` for one that several have.
 */
export const findCollection =
  (ports: Needs) =>
  (_authority: AdminAuthority, reference: CollectionReference): Promise<CollectionId> =>
    named(ports, { of: 'all' }, reference);

/** The same among those that the caller may see: the name of any other is that of none. */
export const findVisibleCollection =
  (ports: Needs) =>
  (principal: Principal, reference: CollectionReference): Promise<CollectionId> =>
    named(ports, visibilityOf(principal), reference);

const named = async (
  { collections }: Needs,
  visibility: Visibility,
  reference: CollectionReference,
): Promise<CollectionId> => {
  if (reference.by === 'id') return reference.id;
  const [found, ...others] = await collections.findByNames(visibility, [reference.name]);
  if (others.length > 0) throw new PorticoError('name_shared');
  if (!found) throw new PorticoError('collection_not_found');
  return found.id;
};
