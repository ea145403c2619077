import type { Initiator } from '../../access/principal.ts';
import type { ChangeCounts, Comparison } from '../../changes/change.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Lifecycle } from '../../collections/lifecycle.ts';
import type { Expiry } from '../../grants/expiry.ts';
import { type Instant, toIso, toIsoOrNull } from '../../instant.ts';
import { toPlainLine } from '../../line.ts';
import type { UpcomingExpiries } from '../../ports/expiry-store.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import type { EventData } from './create-event-jobs.ts';

export type ChangedCollection = Pick<Collection, 'id' | 'name' | 'documentDigest'>;

/**
 * The data of `collection.changed`: the collection after the change, the names of its changed fields, and the number of
 * changes of the document by level; null if it stays the same, or its changes are unknown.
 */
export const collectionChangedDataOf = (
  collection: ChangedCollection,
  fields: readonly string[],
  { actor }: Initiator,
  counts: ChangeCounts | null,
): EventData => ({
  ...toCollectionData(collection),
  fields,
  changes: counts && { ...counts },
  actor: actorOf(actor),
});

/** The maximum number of breaking changes that an event lists. */
const listedChangesMax = 20;

/** The data of `collection.breaking`: the collection, and its first breaking changes. */
export const collectionBreakingDataOf = (
  collection: ChangedCollection,
  { actor }: Initiator,
  { changes, counts }: Comparison,
): EventData => ({
  ...toCollectionData(collection),
  changes: { ...counts },
  breaking: changes
    .filter(({ level }) => level === 'breaking')
    .slice(0, listedChangesMax)
    .map(({ rule, operation, place, text }) => ({
      rule,
      operation_key: operation?.key ?? null,
      method: operation?.method ?? null,
      path: operation?.path ?? null,
      place,
      text,
    })),
  actor: actorOf(actor),
});

/** The data of `collection.deprecated`: the collection, and the dates of its lifecycle. */
export const collectionDeprecatedDataOf = (
  collection: Pick<Collection, 'id' | 'name' | 'documentDigest'>,
  { since, sunset, successor, text }: Lifecycle,
  { actor }: Initiator,
): EventData => ({
  ...toCollectionData(collection),
  since: toIsoOrNull(since),
  sunset: toIsoOrNull(sunset),
  successor_id: successor,
  text,
  actor: actorOf(actor),
});

const toCollectionData = ({ id, name, documentDigest }: ChangedCollection): EventData => ({
  collection_id: id,
  collection: toPlainLine(name),
  document_digest: documentDigest,
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
