import type { AdminAuthority, IdentifiedCaller } from '../../access/principal.ts';
import type { ChangedOperation, Comparison } from '../../changes/change.ts';
import type { ClientAccess } from '../../grants/grant.ts';
import type { CollectionId, OperationKey, ProfileId } from '../../ids.ts';
import { dayMs } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';

/** How far back uses count, in days (extensions, section 8). */
export const affectedDays = 90;

/** The maximum number of operations, and of people and groups of each, that are listed. */
export const affectedListMax = 100;

/** The maximum number of pairs of an operation and a client that are read. */
const usersMax = 100_000;

/** The clients that breaking changes concern: those with access to the collection who used the operations lately. */
export interface Affected {
  /** The number of clients with access. */
  readonly callersTotal: number;
  /** How many of them used one of the operations. */
  readonly affectedTotal: number;
  /** The operations with breaking changes that at least one of them used, those with the most clients first. */
  readonly operations: readonly AffectedOperation[];
}

export interface AffectedOperation {
  readonly operation: ChangedOperation;
  readonly usedByTotal: number;
  /** Sorted; null if the caller may not know them. */
  readonly people: readonly string[] | null;
  /** The groups that give them access, sorted; null if the caller may not know them. */
  readonly groups: readonly string[] | null;
}

/** Whether the caller may know who used an operation: a service account needs two scopes besides. */
export const mayNameUsers = ({ via, scopes = [] }: Pick<IdentifiedCaller, 'via' | 'scopes'>): boolean =>
  via !== 'account' || (scopes.includes('access:read') && scopes.includes('usage:read'));

/**
 * Returns the clients that the breaking changes of a comparison concern; null if no operation has any. Uses of more operations on a day than are counted
 * (`operationsPerDayMax`) are not known.
 */
export const readAffected =
  ({ clock, grants, usage }: Pick<Ports, 'clock' | 'grants' | 'usage'>) =>
  async (
    _authority: AdminAuthority,
    id: CollectionId,
    { changes }: Comparison,
    { namesUsers }: { readonly namesUsers: boolean },
  ): Promise<Affected | null> => {
    const now = clock.now();
    const operations = new Map<OperationKey, ChangedOperation>();
    for (const { level, operation } of changes)
      if (level === 'breaking' && operation) operations.set(operation.key, operation);
    if (operations.size === 0) return null;
    const clients = new Map<ProfileId, ClientAccess>(
      ((await grants.listClients(id, now)) ?? []).map((client) => [client.profile.id, client]),
    );
    const since = now - affectedDays * dayMs;
    const users =
      operations.size > 0 ? await usage.listOperationUsers(id, [...operations.keys()], since, usersMax) : [];
    const currentUsers = users.filter(({ profileId }) => clients.has(profileId));
    const affectedOperations = [...Map.groupBy(currentUsers, ({ operationKey }) => operationKey)].flatMap(
      ([key, operationUsers]): AffectedOperation[] => {
        const operation = operations.get(key);
        const operationClients = operationUsers.flatMap(({ profileId }) => clients.get(profileId) ?? []);
        if (!operation) return [];
        return [{ operation, usedByTotal: operationClients.length, ...namesOf(operationClients, namesUsers) }];
      },
    );
    return {
      callersTotal: clients.size,
      affectedTotal: new Set(currentUsers.map(({ profileId }) => profileId)).size,
      operations: affectedOperations
        .sort((a, b) => b.usedByTotal - a.usedByTotal || compareTexts(nameOf(a), nameOf(b)))
        .slice(0, affectedListMax),
    };
  };

/** Returns the affected clients in the form of the API; without names if the caller may not know them. */
export const toAffectedView = ({ callersTotal, affectedTotal, operations }: Affected) => ({
  callers_total: callersTotal,
  affected_total: affectedTotal,
  operations: operations.map(({ operation, usedByTotal, people, groups }) => ({
    operation_key: operation.key,
    method: operation.method,
    path: operation.path,
    used_by_total: usedByTotal,
    ...(people && groups ? { people: [...people], groups: [...groups] } : {}),
  })),
});

const namesOf = (
  clients: readonly ClientAccess[],
  namesUsers: boolean,
): Pick<AffectedOperation, 'people' | 'groups'> => {
  if (!namesUsers) return { people: null, groups: null };
  const sortUnique = (names: readonly string[]) => [...new Set(names)].sort(compareTexts).slice(0, affectedListMax);
  return {
    people: sortUnique(clients.map(({ profile }) => profile.email)),
    groups: sortUnique(clients.flatMap(({ grants }) => grants.flatMap(({ group }) => group?.name ?? []))),
  };
};

const nameOf = ({ operation: { method, path } }: AffectedOperation): string => `${path} ${method}`;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
