import {
  dayMs,
  toIso,
  type AuditEntry,
  type Collection,
  type EntryId,
  type Instant,
  type Profile,
} from '@portico/domain';
import type { Dice } from './dice.ts';

export interface Acting {
  readonly admins: readonly Profile[];
  /** Approved; the first ones call most often. */
  readonly clients: readonly Profile[];
  readonly collections: readonly Collection[];
}

const auditedDays = 365;

/** The log of a year, oldest first: of ten entries nine are calls that clients report, one is the service's own. */
export function* makeEntries(dice: Dice, count: number, acting: Acting, now: Instant): Generator<AuditEntry> {
  const first = now - auditedDays * dayMs;
  for (let at = 0; at < count; at++) {
    const instant = first + Math.floor(((at + 1) / count) * auditedDays * dayMs) - 1;
    yield dice.below(10) === 0 ? ownEntry(dice, acting, instant) : reportedCall(dice, acting, instant);
  }
}

const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'] as const;
const statusCodes = [200, 200, 200, 200, 200, 201, 204, 400, 404, 429, 500] as const;

const reportedCall = (dice: Dice, { clients, collections }: Acting, instant: Instant): AuditEntry => {
  const client = dice.skewed(clients);
  return entry(dice, 'client', client, instant, {
    action: dice.below(50) === 0 ? 'token_refresh' : 'api_call',
    client_id: client.clientId ?? client.id,
    collection_id: dice.skewed(collections).id,
    method: dice.one(methods),
    endpoint: `/v1/items/${dice.below(500)}`,
    status_code: dice.one(statusCodes),
    duration_ms: 5 + dice.below(900),
  });
};

const ownActions = [
  'collection.credential_read',
  'collection.credential_read',
  'collection.credential_read',
  'collection.credential_read',
  'access.grant',
  'access.grant',
  'access.revoke',
  'collection.update',
  'credentials.rotate',
  'profile.register',
  'profile.approve',
  'profile.suspend',
] as const;

const ownEntry = (dice: Dice, { admins, clients, collections }: Acting, instant: Instant): AuditEntry => {
  const action = dice.one(ownActions);
  const [client, collection] = [dice.skewed(clients), dice.skewed(collections)];
  const isOfClient = action === 'collection.credential_read' || action === 'profile.register';
  const actor = isOfClient ? client : dice.one(admins);
  return entry(dice, 'system', actor, instant, {
    action,
    actor: actor.email,
    ...(action.startsWith('collection') || action.startsWith('access')
      ? { collection_id: collection.id, collection: collection.name }
      : {}),
    ...(action.startsWith('collection') ? {} : { profile_id: client.id, profile: client.email }),
    ...(action === 'collection.credential_read' ? { via: 'key' } : {}),
  });
};

const entry = (
  dice: Dice,
  source: AuditEntry['source'],
  actor: Profile,
  instant: Instant,
  message: Readonly<Record<string, string | number>>,
): AuditEntry => ({
  id: dice.uuid<EntryId>(),
  source,
  actorId: actor.id,
  message: JSON.stringify(message),
  timestamp: toIso(instant),
  instant,
  receivedAt: instant,
  facets: {
    clientId: textIn(message, 'client_id'),
    collectionId: textIn(message, 'collection_id'),
    action: textIn(message, 'action'),
  },
});

const textIn = (message: Readonly<Record<string, string | number>>, key: string): string | null => {
  const value = message[key];
  return typeof value === 'string' ? value : null;
};
