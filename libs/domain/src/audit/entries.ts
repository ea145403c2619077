import type { EntryId, ProfileId } from '../ids.ts';
import { toIso } from '../instant.ts';
import type { Json } from '../json.ts';
import type { AuditEntry, AuditFacets } from '../ports/audit-log.ts';
import type { Ports } from '../ports/index.ts';

/** What the service says of its own doings: an action and its objects by id, never a secret. */
export interface SystemMessage {
  readonly action: string;
  readonly [key: string]: Json;
}

/** An entry of the service's own, for now. */
export const systemEntry = (
  { clock, chance }: Pick<Ports, 'clock' | 'chance'>,
  actorId: ProfileId | null,
  message: SystemMessage,
): AuditEntry => {
  const now = clock.now();
  return {
    id: chance.uuid() as EntryId,
    source: 'system',
    actorId,
    message: JSON.stringify(message),
    timestamp: toIso(now),
    instant: now,
    receivedAt: now,
    facets: facetsOf(message),
  };
};

/** What a message can be found by. */
export const facetsOf = (message: { readonly [key: string]: Json }): AuditFacets => ({
  clientId: facet(message, 'client_id'),
  collectionId: facet(message, 'collection_id'),
  action: facet(message, 'action'),
});

const facetLengthMax = 200;

const facet = (message: { readonly [key: string]: Json }, key: string): string | null => {
  const value = Object.hasOwn(message, key) ? message[key] : null;
  return typeof value === 'string' && value.length > 0 && value.length <= facetLengthMax ? value : null;
};
