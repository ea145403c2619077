import type { Grantee, Pair } from '../../grants/grant.ts';
import {
  type CollectionReference,
  referenceText,
  type GroupReference,
  type ProfileReference,
  type Reference,
} from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { profilesByEmail } from '../groups/profiles-by-email.ts';

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
  readonly ambiguous: boolean;
}

type Needs = Pick<Ports, 'groups' | 'profiles' | 'collections'>;

/** The result of resolving a reference: one id (which may not exist), no id, or several ids. */
type Match<Id> =
  | { readonly kind: 'one'; readonly id: Id }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly Id[] };

interface Resolved<Id> {
  readonly name: string;
  readonly match: Match<Id>;
}

/** Returns each pair in a request once, in the order of the request: profiles first, then groups. */
export const resolvePairs = async (ports: Needs, many: GrantSelection): Promise<readonly NamedPair[]> => {
  const profiles = await resolve(many.profiles, (names) => findProfiles(ports, names));
  const groups = await resolve(many.groups, (names) => findGroups(ports, names));
  const collections = await resolve(many.collections, (names) => findCollections(ports, names));
  const pairsOf = <Id extends string>(
    kind: Grantee['kind'],
    grantees: readonly Resolved<Id>[],
    granteeOf: (id: Id) => Grantee,
  ): NamedPair[] =>
    grantees.flatMap((item) =>
      collections.map((collection) =>
        pairOf(kind, item.name, item.match.kind === 'one' ? granteeOf(item.match.id) : null, collection),
      ),
    );
  return [
    ...pairsOf('profile', profiles, (id) => ({ kind: 'profile', id })),
    ...pairsOf('group', groups, (id) => ({ kind: 'group', id })),
  ];
};

const missing = { profile: 'Client not found', group: 'Group not found' } as const;

const pairOf = (
  kind: Grantee['kind'],
  name: string,
  grantee: Grantee | null,
  { name: collectionName, match }: Resolved<CollectionId>,
): NamedPair => {
  const id = match.kind === 'one' ? match.id : null;
  const facts = { grantee: { kind, id: grantee?.id ?? null, name }, collection: { id, name: collectionName } };
  if (!grantee) return { ...facts, pair: null, ambiguous: false, reason: missing[kind] };
  if (match.kind === 'one')
    return { ...facts, pair: { grantee, collection: match.id }, ambiguous: false, reason: null };
  if (match.kind === 'none') return { ...facts, pair: null, ambiguous: false, reason: 'Collection not found' };
  const reason = `${match.ids.length} collections have this name, give an id: ${match.ids.slice(0, shownIdsMax).join(', ')}`;
  return { ...facts, pair: null, ambiguous: true, reason };
};

/** The maximum number of ids in the message about collections with the same name. */
const shownIdsMax = 10;

/** Resolves references. Two references to the same object are resolved once. */
const resolve = async <Id extends string>(
  references: readonly Reference<Id>[],
  find: (names: readonly string[]) => Promise<ReadonlyMap<string, readonly Id[]>>,
): Promise<readonly Resolved<Id>[]> => {
  const names = [...new Set(references.flatMap((reference) => (reference.by === 'name' ? [reference.name] : [])))];
  const byName = names.length > 0 ? await find(names) : new Map<string, readonly Id[]>();
  const resolved = new Map<string, Resolved<Id>>();
  for (const reference of references) {
    const match = reference.by === 'id' ? singleMatch(reference.id) : matchOf(byName.get(reference.name) ?? []);
    const key = match.kind === 'one' ? `id ${match.id}` : `name ${referenceText(reference)}`;
    if (!resolved.has(key)) resolved.set(key, { name: referenceText(reference), match });
  }
  return [...resolved.values()];
};

const singleMatch = <Id>(id: Id): Match<Id> => ({ kind: 'one', id });
const matchOf = <Id>(ids: readonly Id[]): Match<Id> => {
  const [id, ...others] = ids;
  if (id === undefined) return { kind: 'none' };
  return others.length === 0 ? singleMatch(id) : { kind: 'several', ids };
};

const idsByName = <Id>(
  rows: readonly { readonly id: Id; readonly name: string }[],
): ReadonlyMap<string, readonly Id[]> =>
  new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, all]) => [name, all.map(({ id }) => id)]));

const findProfiles = async (ports: Needs, emails: readonly string[]) => {
  const ids = await profilesByEmail(ports, new Set(emails));
  return new Map([...ids].map(([email, id]) => [email, [id]]));
};

const findGroups = async ({ groups }: Needs, names: readonly string[]) => idsByName(await groups.findByNames(names));

const findCollections = async ({ collections }: Needs, names: readonly string[]) =>
  idsByName(await collections.findByNames({ of: 'all' }, names));
