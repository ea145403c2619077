import { type PersonAuthority, type Principal, requireReadableTarget } from '../../access/principal.ts';
import type { Collection, Delivery } from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects } from '../audit/system-entry.ts';

export type DeliverySettings = Pick<Collection, 'delivery' | 'ownCredentials'>;

/** Changes to them; undefined members leave them unchanged. */
export interface DeliveryEdit {
  readonly delivery?: Delivery | undefined;
  readonly ownCredentials?: boolean | undefined;
}

/** Returns how clients use the credentials of the collection that the request is about. */
export const readDelivery = (principal: Principal<Collection>): DeliverySettings => {
  const { delivery, ownCredentials } = requireReadableTarget(principal);
  return { delivery, ownCredentials };
};

/** Changes how clients use the credentials of a collection. Throws `collection_not_found`. */
export const updateDelivery =
  (ports: Pick<Ports, 'clock' | 'random' | 'collections'>) =>
  async (authority: PersonAuthority, id: CollectionId, edit: DeliveryEdit): Promise<DeliverySettings> => {
    const { delivery, ownCredentials } = await ports.collections.update(id, (current) => {
      const next = {
        delivery: edit.delivery ?? current.delivery,
        ownCredentials: edit.ownCredentials ?? current.ownCredentials,
      };
      const isDeliveryChanged = next.delivery !== current.delivery;
      const isOwnChanged = next.ownCredentials !== current.ownCredentials;
      if (!isDeliveryChanged && !isOwnChanged) return null;
      return {
        collection: {
          ...current,
          ...next,
          revision: current.revision + 1,
          updatedAt: nextChangeAt(current.updatedAt, ports.clock.now()),
        },
        ...createAuditEffects(ports, authority, {
          action: 'collection.update',
          ...collectionFieldsOf(current),
          fields: [...(isDeliveryChanged ? ['delivery'] : []), ...(isOwnChanged ? ['own_credentials'] : [])],
          ...(isDeliveryChanged ? { delivery: next.delivery } : {}),
          ...(isOwnChanged ? { own_credentials: next.ownCredentials } : {}),
        }),
      };
    });
    return { delivery, ownCredentials };
  };
