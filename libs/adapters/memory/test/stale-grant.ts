import type { GrantState, Pair } from '@portico/domain';
import type { MemoryDatabase } from '../src/memory-database.ts';
import { stateOf } from '../src/memory-grant-store.ts';
import { breachesOf, pause } from './breaking.ts';

export const statesIn = (database: MemoryDatabase, pairs: readonly Pair[]): readonly GrantState[] =>
  pairs.map((pair) => stateOf(database, pair));

/** A grant that is decided on the basis of stale state, and whose change is not validated. */
export const staleGrant = breachesOf('grants').update.replaceWith(async ([pairs, decide], _original, database) => {
  const { put = [] } = decide(statesIn(database, pairs));
  await pause();
  for (const { grantee, collection, grantedAt, expiresAt, rule } of put)
    database.grants.set(grantee.id, new Map([[collection, { grantedAt, expiresAt, rule }]]));
});
