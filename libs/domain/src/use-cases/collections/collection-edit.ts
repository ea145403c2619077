import type { Initiator } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';

/** The new values of some parts of a collection, and the audit entry about them. */
export interface AuditedEdit {
  readonly parts: Partial<Collection>;
  readonly message: SystemMessage;
  /** Jobs to write with the change; none by default. */
  readonly jobs?: readonly NewJob[];
}

/**
 * Changes parts of a collection as `decide` says, with one audit entry; changes nothing if it returns null. Returns the
 * collection after that. Throws `collection_not_found`, and the errors of `decide`.
 */
export const editCollection = (
  ports: Pick<Ports, 'clock' | 'random' | 'collections'>,
  initiator: Initiator,
  id: CollectionId,
  decide: (current: Collection) => AuditedEdit | null,
): Promise<Collection> =>
  ports.collections.update(id, (current) => {
    const edit = decide(current);
    if (!edit) return null;
    const { action, ...fields } = edit.message;
    return {
      collection: {
        ...current,
        ...edit.parts,
        revision: current.revision + 1,
        updatedAt: nextChangeAt(current.updatedAt, ports.clock.now()),
      },
      ...createAuditEffects(ports, initiator, { action, ...collectionFieldsOf(current), ...fields }),
      ...(edit.jobs ? { jobs: edit.jobs } : {}),
    };
  });
