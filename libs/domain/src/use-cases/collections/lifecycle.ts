import { type CollectionAuthority, isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import { applyLifecycleEdit } from '../../changes/lifecycle-machine.ts';
import { isSameLifecycle, type Lifecycle, type LifecycleEdit } from '../../collections/lifecycle.ts';
import { isPorticoError, PorticoError } from '../../errors.ts';
import type { CollectionReference } from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import { toIsoOrNull } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { prepareEvent } from '../webhooks/create-event-jobs.ts';
import { collectionDeprecatedDataOf } from '../webhooks/event-data.ts';
import { editCollection } from './collection-edit.ts';
import { findVisibleCollection } from './find-collection.ts';

/** Sets the state of a collection with its details; see `applyLifecycleEdit` for the errors. */
export const setLifecycle =
  (ports: Pick<Ports, 'clock' | 'random' | 'collections' | 'webhooks'>) =>
  async (authority: CollectionAuthority, edit: LifecycleEdit): Promise<Lifecycle> => {
    const createEventJobs = await prepareEvent(ports, 'collection.deprecated');
    const { lifecycle } = await editCollection(ports, authority, authority.collectionId, (current) => {
      const next = applyLifecycleEdit(current, edit, ports.clock.now());
      if (isSameLifecycle(next, current.lifecycle)) return null;
      const { state, since, sunset, successor } = next;
      const details = state === 'active' ? {} : { since: toIsoOrNull(since), sunset: toIsoOrNull(sunset), successor };
      const isDeprecated = state === 'deprecated' && current.lifecycle.state !== 'deprecated';
      return {
        parts: { lifecycle: next },
        message: { action: 'collection.lifecycle', lifecycle: state, ...details },
        jobs: isDeprecated ? createEventJobs(collectionDeprecatedDataOf(current, next, authority)) : [],
      };
    });
    return lifecycle;
  };

/**
 * Returns the id of a successor. Throws `invalid_body` unless the reference is the id or the unique name of a collection
 * that the caller may see.
 */
export const findSuccessor =
  (ports: Pick<Ports, 'collections'>) =>
  async (principal: Principal, reference: CollectionReference): Promise<CollectionId> => {
    const id = await findVisibleCollection(ports)(principal, reference).catch((error: unknown) => {
      if (isPorticoError(error, 'collection_not_found') || isPorticoError(error, 'name_shared')) return null;
      throw error;
    });
    if (id === null || !(await isVisible(ports, principal, id)))
      throw new PorticoError('invalid_body', {
        reason: 'successor must be the id of a collection that you can see, or a name that only one of them has',
      });
    return id;
  };

const isVisible = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  id: CollectionId,
): Promise<boolean> =>
  isAdmin(principal.profile)
    ? (await collections.find(id)) !== null
    : (await collections.listVisibleIds(visibilityOf(principal))).includes(id);
