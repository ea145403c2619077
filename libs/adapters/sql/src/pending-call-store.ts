import {
  type CallFilter,
  type CallPage,
  type CallStatus,
  canExpire,
  type CollectionId,
  type Instant,
  type ListedCall,
  type PendingCallStore,
  PorticoError,
  type ProfileId,
  type SealedArguments,
  type SealedCall,
  type StoredCall,
} from '@portico/domain';
import { writeEffects } from './effects.ts';
import { PendingCallEntity } from './entities/access-entities.ts';
import { isGranted, toIsGrantedParameters } from './memberships.ts';
import { findProfile } from './profile-store.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { buildColumns, columnsOf, insertInto, omitNames, updateOf, write } from './table.ts';

export const createSqlPendingCallStore = (database: SqlDatabase): PendingCallStore => ({
  async create(caller, collection, now, decide) {
    await database.transact(async (transaction) => {
      const change = decide({
        profile: await findProfile(transaction, caller),
        collectionName: (await transaction.first<{ name: string }>(selectName, [collection]))?.name ?? null,
        waitingCalls: await transaction.all<SealedCall>(selectWaiting, [caller, now]),
      });
      if (!change) return;
      await write(transaction, insertCall, change.call);
      await writeEffects(transaction, change);
    });
  },

  find: (id) => findCall(database.reads, id),

  async countWaiting(now) {
    return (await database.reads.first<{ total: number }>(countWaiting, [now]))?.total ?? 0;
  },

  list(filter, now, page) {
    const { text, parameters } = buildListStatement(filter, now, page);
    return database.reads.all<ListedCall>(text, parameters);
  },

  async decide(id, now, decide) {
    await database.transact(async (transaction) => {
      const call = await findCall(transaction, id);
      const profile = call && (await findProfile(transaction, call.profileId));
      if (!profile) throw new PorticoError('call_not_found');
      const hasGrant = await canAccess(transaction, call.profileId, call.collectionId, now);
      const change = decide({ call, profile, hasGrant });
      if (!change) return;
      await write(transaction, updateCall, { ...change.call, id });
      await writeEffects(transaction, change);
    });
  },

  expire: (now, limit) => database.transact((transaction) => transaction.run(expireOldest, [now, limit])),

  prune: (before, limit) => database.transact((transaction) => transaction.run(deleteOldest, [before, limit])),

  listSealed: () => listSealedArguments(database.reads),
});

/** Returns the calls that still have arguments. */
export const listSealedArguments = (sql: Sql): Promise<readonly SealedArguments[]> =>
  sql.all<SealedArguments>(`select q.id, q.sealed from pending_calls q where q.sealed is not null`);

/** Makes a call expired, as part of another change. */
export const expireCall = `update pending_calls set status = 'expired', sealed = null where id = ?`;

const callColumns = columnsOf(PendingCallEntity);
const insertCall = insertInto(PendingCallEntity, callColumns);
const updateCall = updateOf(PendingCallEntity, 'id', [
  'status',
  'expiresAt',
  'decidedAt',
  'decidedBy',
  'reason',
  'sealed',
]);

const selectName = 'select name from collections where id = ?';
const waiting = `q.status = 'waiting' and q.expires_at > ?`;
const selectWaiting = `select ${buildColumns('q', callColumns)} from pending_calls q
  where q.profile_id = ? and ${waiting} order by q.requested_at, q.id`;
const countWaiting = `select count(*) as total from pending_calls q where ${waiting}`;

const selectWith = (columns: readonly string[]): string =>
  `select ${buildColumns('q', columns)}, p.email, c.name as "collectionName" from pending_calls q
    join profiles p on p.id = q.profile_id join collections c on c.id = q.collection_id`;
const selectStored = selectWith(callColumns);
// The arguments may be large.
const selectListed = selectWith(omitNames(callColumns, 'sealed'));

const expiring = `('waiting', 'approved')`;
const expireOldest = `update pending_calls set status = 'expired', sealed = null where id in
  (select id from pending_calls where status in ${expiring} and expires_at <= ? order by expires_at, id limit ?)`;
const deleteOldest = `delete from pending_calls where id in
  (select id from pending_calls where requested_at < ? order by requested_at, id limit ?)`;

const findCall = async (sql: Sql, id: StoredCall['id']): Promise<StoredCall | null> =>
  (await sql.first<StoredCall>(`${selectStored} where q.id = ?`, [id])) ?? null;

const canAccess = async (sql: Sql, profile: ProfileId, collection: CollectionId, now: Instant): Promise<boolean> => {
  const text = `select 1 from collections c where c.id = ? and ${isGranted('c.id')}`;
  return (await sql.first(text, [collection, ...toIsGrantedParameters(profile, now)])) !== undefined;
};

/** A part of a statement, with the values for its `?` parameters. */
type Part = readonly [text: string, ...parameters: Value[]];

const buildListStatement = (
  { status, profileId, collectionId }: CallFilter,
  now: Instant,
  { limit, order, after }: CallPage,
): { readonly text: string; readonly parameters: readonly Value[] } => {
  const [comparison, direction] = order === 'oldest first' ? ['>', 'asc'] : ['<', 'desc'];
  const parts: readonly (Part | null)[] = [
    [`${selectListed} where true`],
    status && buildStatusPart(status, now),
    profileId && ['and q.profile_id = ?', profileId],
    collectionId && ['and q.collection_id = ?', collectionId],
    after && [`and (q.requested_at, q.id) ${comparison} (?, ?)`, after.requestedAt, after.id],
    [`order by q.requested_at ${direction}, q.id ${direction} limit ?`, limit],
  ];
  const presentParts = parts.filter((part) => part !== null);
  return {
    text: presentParts.map(([text]) => text).join(' '),
    parameters: presentParts.flatMap(([, ...parameters]) => parameters),
  };
};

/** Returns the condition for the calls that have this status at this time (`statusAt`). */
const buildStatusPart = (status: CallStatus, now: Instant): Part => {
  if (status === 'expired')
    return [`and (q.status = 'expired' or (q.status in ${expiring} and q.expires_at <= ?))`, now];
  return canExpire(status) ? ['and q.status = ? and q.expires_at > ?', status, now] : ['and q.status = ?', status];
};
