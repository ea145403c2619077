import type { Initiator } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Expiry } from '../../grants/expiry.ts';
import { type Instant, toIso, toIsoOrNull } from '../../instant.ts';
import { toPlainLine } from '../../line.ts';
import type { UpcomingExpiries } from '../../ports/expiry-store.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import type { EventData } from './create-event-jobs.ts';

/** The data of `collection.changed`: the collection after the change, and the names of its changed fields. */
export const collectionChangedDataOf = (
  collection: Pick<Collection, 'id' | 'name' | 'documentDigest'>,
  fields: readonly string[],
  { actor }: Initiator,
): EventData => ({
  collection_id: collection.id,
  collection: toPlainLine(collection.name),
  fields,
  document_digest: collection.documentDigest,
  actor: actorOf(actor),
});

/** The data of `access.requested`. */
export const accessRequestedDataOf = (
  request: AccessRequest & { readonly email: string; readonly collectionName: string },
): EventData => ({
  request_id: request.id,
  profile_id: request.profileId,
  profile: toPlainLine(request.email),
  collection_id: request.collectionId,
  collection: toPlainLine(request.collectionName),
  reason: request.reason,
  duration_days: request.durationDays,
  requested_at: toIso(request.createdAt),
});

/** The data of `key.rotated`. Neither secret is part of it. */
export const keyRotatedDataOf = (
  profile: Pick<Profile, 'id' | 'email' | 'clientId'>,
  previousUntil: Instant | null,
  { actor }: Initiator,
): EventData => ({
  profile_id: profile.id,
  profile: toPlainLine(profile.email),
  client_id: profile.clientId,
  previous_valid_until: toIsoOrNull(previousUntil),
  actor: actorOf(actor),
});

/** The data of `grant.expiring`, as in the daily email to administrators. */
export const grantExpiringDataOf = ({ total, expiries }: UpcomingExpiries): EventData => ({
  total,
  expiries: expiries.map(toExpiryData),
});

const toExpiryData = ({ email, collection, group, expiresAt }: Expiry): EventData => ({
  profile: toPlainLine(email),
  collection: collection === null ? null : toPlainLine(collection),
  group: group === null ? null : toPlainLine(group),
  expires_at: toIso(expiresAt),
});

const actorOf = (actor: Initiator['actor']): string | null => actor && toPlainLine(actor.email);
