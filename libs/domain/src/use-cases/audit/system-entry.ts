import type { Initiator } from '../../access/principal.ts';
import { type AuditEntry, facetsOf } from '../../audit/audit-entry.ts';
import type { SystemAction } from '../../audit/system-actions.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import type { Group } from '../../groups/group.ts';
import type { EntryId } from '../../ids.ts';
import { toIso } from '../../instant.ts';
import type { Json } from '../../json.ts';
import { toShortLine } from '../../line.ts';
import type { Effects } from '../../ports/effects.ts';
import type { Ports } from '../../ports/index.ts';
import type { Actor } from '../../profiles/profile.ts';

/**
 * A record of one of the service's own actions: the action, and its objects by id and by their names at that time,
 * since the objects may be removed later. It never contains a secret. Its members are those of `profileFieldsOf` and so on,
 * `tier`, `override_id`, `job_id`, `count` if there is no single object, and the values that were set.
 */
export interface SystemMessage {
  readonly action: SystemAction;
  readonly [key: string]: Json;
}

/** The maximum length of a name in an entry, in UTF-16 units. No name accepted now is longer; older names may be. */
const nameLengthMax = 254;

const toAuditName = (name: string): string => toShortLine(name, nameLengthMax);

// The object of an entry: its id, and its name as a plain line.
export const profileFieldsOf = ({ id, email }: Actor) => ({ profile_id: id, profile: toAuditName(email) });

export const collectionFieldsOf = ({ id, name }: Pick<CollectionHead, 'id' | 'name'>) => ({
  collection_id: id,
  collection: toAuditName(name),
});

export const groupFieldsOf = ({ id, name }: Pick<Group, 'id' | 'name'>) => ({ group_id: id, group: toAuditName(name) });

/**
 * Creates an entry by the service, dated now. The actor is null for the service itself, the operator's command line and
 * an unknown caller.
 */
export const createSystemEntry = (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  actor: Actor | null,
  { action, ...rest }: SystemMessage,
): AuditEntry => {
  const now = clock.now();
  const message = { action, ...(actor ? { actor: toAuditName(actor.email) } : {}), ...rest };
  return {
    id: random.uuid() as EntryId,
    source: 'system',
    actorId: actor?.id ?? null,
    message: JSON.stringify(message),
    timestamp: toIso(now),
    instant: now,
    receivedAt: now,
    facets: facetsOf(message),
  };
};

/** Creates the entry for a binding; its actor is the bound profile. */
export const createBindingEntry = (
  ports: Pick<Ports, 'random' | 'clock'>,
  profile: Actor,
  issuer: string,
): AuditEntry => createSystemEntry(ports, profile, { action: 'profile.bind', ...profileFieldsOf(profile), issuer });

/** Returns the effects of an audited change: the service's entries, and the request's deadline. */
export const createAuditEffects = (
  ports: Pick<Ports, 'clock' | 'random'>,
  { actor, deadline }: Initiator,
  ...messages: readonly SystemMessage[]
): Pick<Effects, 'entries' | 'deadline'> => ({
  entries: messages.map((message) => createSystemEntry(ports, actor, message)),
  deadline,
});
