import type { Grantee, Pair } from '../../grants/grant.ts';
import {
  type CollectionReference,
  referenceTextOf,
  type GroupReference,
  type ProfileReference,
  type Reference,
} from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { findProfilesByEmail } from '../groups/find-profiles-by-email.ts';

/** The grants to add or to revoke: each of `profiles` and `groups` with each of `collections`. */
export interface GrantSelection {
  readonly profiles: readonly ProfileReference[];
  readonly groups: readonly GroupReference[];
  readonly collections: readonly CollectionReference[];
}

/** A pair in a request, as named in its outcome. */
export interface NamedPair {
  /** The id is null if there is no such object; the name is then the reference in the request. */
  readonly grantee: { readonly kind: Grantee['kind']; readonly id: string | null; readonly name: string };
  readonly collection: { readonly id: CollectionId | null; readonly name: string };
  /** Why the pair does not exist; null if that is not known yet. */
  readonly reason: string | null;
  /** Null if there is no such pair. */
  readonly pair: Pair | null;
  /** Whether several collections have the name. */
  readonly isAmbiguous: boolean;
}

type RequiredPorts = Pick<Ports, 'groups' | 'profiles' | 'collections'>;

/** The result of resolving a reference: one id (which may not exist), no id, or several ids. */
type Match<Id> =
  | { readonly kind: 'one'; readonly id: Id }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly Id[] };

interface ResolvedReference<Id> {
  readonly name: string;
  readonly match: Match<Id>;
}

/** Returns each pair in a request once, in the order of the request: profiles first, then groups. */
export const resolvePairs = async (ports: RequiredPorts, selection: GrantSelection): Promise<readonly NamedPair[]> => {
  const profiles = await resolveReferences(selection.profiles, (names) => findProfiles(ports, names));
  const groups = await resolveReferences(selection.groups, (names) => findGroups(ports, names));
  const collections = await resolveReferences(selection.collections, (names) => findCollections(ports, names));
  const pairsOf = <Id extends string>(
    kind: Grantee['kind'],
    grantees: readonly ResolvedReference<Id>[],
    granteeOf: (id: Id) => Grantee,
  ): NamedPair[] =>
    grantees.flatMap((reference) =>
      collections.map((collection) =>
        pairOf(kind, reference.name, reference.match.kind === 'one' ? granteeOf(reference.match.id) : null, collection),
      ),
    );
  return [
    ...pairsOf('profile', profiles, (id) => ({ kind: 'profile', id })),
    ...pairsOf('group', groups, (id) => ({ kind: 'group', id })),
  ];
};

const notFoundReasons = { profile: 'Client not found', group: 'Group not found' } as const;

const pairOf = (
  kind: Grantee['kind'],
  name: string,
  grantee: Grantee | null,
  { name: collectionName, match }: ResolvedReference<CollectionId>,
): NamedPair => {
  const id = match.kind === 'one' ? match.id : null;
  const fields = { grantee: { kind, id: grantee?.id ?? null, name }, collection: { id, name: collectionName } };
  if (!grantee) return { ...fields, pair: null, isAmbiguous: false, reason: notFoundReasons[kind] };
  if (match.kind === 'one')
    return { ...fields, pair: { grantee, collection: match.id }, isAmbiguous: false, reason: null };
  if (match.kind === 'none') return { ...fields, pair: null, isAmbiguous: false, reason: 'Collection not found' };
  const reason = `${match.ids.length} collections have this name, give an id: ${match.ids.slice(0, listedIdsMax).join(', ')}`;
  return { ...fields, pair: null, isAmbiguous: true, reason };
};

/** The maximum number of ids in the message about collections with the same name. */
const listedIdsMax = 10;

/** Resolves references. Two references to the same object are resolved once. */
const resolveReferences = async <Id extends string>(
  references: readonly Reference<Id>[],
  find: (names: readonly string[]) => Promise<ReadonlyMap<string, readonly Id[]>>,
): Promise<readonly ResolvedReference<Id>[]> => {
  const names = [...new Set(references.flatMap((reference) => (reference.by === 'name' ? [reference.name] : [])))];
  const idsByName = names.length > 0 ? await find(names) : new Map<string, readonly Id[]>();
  const resolvedReferences = new Map<string, ResolvedReference<Id>>();
  for (const reference of references) {
    const match =
      reference.by === 'id' ? createSingleMatch(reference.id) : matchOf(idsByName.get(reference.name) ?? []);
    const key = match.kind === 'one' ? `id ${match.id}` : `name ${referenceTextOf(reference)}`;
    if (!resolvedReferences.has(key)) resolvedReferences.set(key, { name: referenceTextOf(reference), match });
  }
  return [...resolvedReferences.values()];
};

const createSingleMatch = <Id>(id: Id): Match<Id> => ({ kind: 'one', id });
const matchOf = <Id>(ids: readonly Id[]): Match<Id> => {
  const [id, ...otherIds] = ids;
  if (id === undefined) return { kind: 'none' };
  return otherIds.length === 0 ? createSingleMatch(id) : { kind: 'several', ids };
};

const groupIdsByName = <Id>(
  rows: readonly { readonly id: Id; readonly name: string }[],
): ReadonlyMap<string, readonly Id[]> =>
  new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, matches]) => [name, matches.map(({ id }) => id)]));

const findProfiles = async (ports: RequiredPorts, emails: readonly string[]) => {
  const ids = await findProfilesByEmail(ports, new Set(emails));
  return new Map([...ids].map(([email, id]) => [email, [id]]));
};

const findGroups = async ({ groups }: RequiredPorts, names: readonly string[]) =>
  groupIdsByName(await groups.findByNames(names));

const findCollections = async ({ collections }: RequiredPorts, names: readonly string[]) =>
  groupIdsByName(await collections.findByNames({ scope: 'all' }, names));
