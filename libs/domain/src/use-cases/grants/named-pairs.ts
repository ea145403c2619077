import type { Grantee, Pair } from '../../grants/grant.ts';
import {
  type CollectionReference,
  given,
  type GroupReference,
  type ProfileReference,
  type Reference,
} from '../../grants/reference.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { profilesByEmail } from '../groups/profiles-by-email.ts';

/** Who shall get what, or lose it: every one of `profiles` and `groups`, every one of `collections`. */
export interface Granting {
  readonly profiles: readonly ProfileReference[];
  readonly groups: readonly GroupReference[];
  readonly collections: readonly CollectionReference[];
}

/** A pair of a request, as its outcome names it. */
export interface NamedPair {
  /** The id is null if there is no such object; the name is then what it was named by. */
  readonly grantee: { readonly kind: Grantee['kind']; readonly id: string | null; readonly name: string };
  readonly collection: { readonly id: CollectionId | null; readonly name: string };
  /** Null if it is not known yet that there is no such pair. */
  readonly reason: string | null;
  /** Null if there is none. */
  readonly pair: Pair | null;
  /** Whether the collection's name is that of several. */
  readonly ambiguous: boolean;
}

type Needs = Pick<Ports, 'groups' | 'profiles' | 'collections'>;

/** What a reference names: an id that may name nothing, nothing, or several. */
type Found<Id> =
  | { readonly kind: 'one'; readonly id: Id }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly Id[] };

interface Resolved<Id> {
  readonly name: string;
  readonly found: Found<Id>;
}

/** The pairs of a request, each once, in the order in which it names them: profiles first, then groups. */
export const namedPairs = async (ports: Needs, many: Granting): Promise<readonly NamedPair[]> => {
  const profiles = await resolve(many.profiles, (names) => profilesNamed(ports, names));
  const groups = await resolve(many.groups, (names) => groupsNamed(ports, names));
  const collections = await resolve(many.collections, (names) => collectionsNamed(ports, names));
  const of = <Id extends string>(
    kind: Grantee['kind'],
    grantees: readonly Resolved<Id>[],
    grantee: (id: Id) => Grantee,
  ): NamedPair[] =>
    grantees.flatMap((one) =>
      collections.map((collection) =>
        pairOf(kind, one.name, one.found.kind === 'one' ? grantee(one.found.id) : null, collection),
      ),
    );
  return [
    ...of('profile', profiles, (id) => ({ kind: 'profile', id })),
    ...of('group', groups, (id) => ({ kind: 'group', id })),
  ];
};

const missing = { profile: 'Client not found', group: 'Group not found' } as const;

const pairOf = (
  kind: Grantee['kind'],
  name: string,
  grantee: Grantee | null,
  { name: collectionName, found }: Resolved<CollectionId>,
): NamedPair => {
  const id = found.kind === 'one' ? found.id : null;
  const facts = { grantee: { kind, id: grantee?.id ?? null, name }, collection: { id, name: collectionName } };
  if (!grantee) return { ...facts, pair: null, ambiguous: false, reason: missing[kind] };
  if (found.kind === 'one')
    return { ...facts, pair: { grantee, collection: found.id }, ambiguous: false, reason: null };
  if (found.kind === 'none') return { ...facts, pair: null, ambiguous: false, reason: 'Collection not found' };
  const reason = `${found.ids.length} collections have this name, give an id: ${found.ids.slice(0, shownIdsMax).join(', ')}`;
  return { ...facts, pair: null, ambiguous: true, reason };
};

/** Of collections with one name. */
const shownIdsMax = 10;

/** Resolves references, each once: two that name the same object are one. */
const resolve = async <Id extends string>(
  references: readonly Reference<Id>[],
  find: (names: readonly string[]) => Promise<ReadonlyMap<string, readonly Id[]>>,
): Promise<readonly Resolved<Id>[]> => {
  const names = [...new Set(references.flatMap((reference) => (reference.by === 'name' ? [reference.name] : [])))];
  const byName = names.length > 0 ? await find(names) : new Map<string, readonly Id[]>();
  const resolved = new Map<string, Resolved<Id>>();
  for (const reference of references) {
    const found = reference.by === 'id' ? one(reference.id) : foundOf(byName.get(reference.name) ?? []);
    const key = found.kind === 'one' ? `id ${found.id}` : `name ${given(reference)}`;
    if (!resolved.has(key)) resolved.set(key, { name: given(reference), found });
  }
  return [...resolved.values()];
};

const one = <Id>(id: Id): Found<Id> => ({ kind: 'one', id });
const foundOf = <Id>(ids: readonly Id[]): Found<Id> => {
  const [id, ...others] = ids;
  if (id === undefined) return { kind: 'none' };
  return others.length === 0 ? one(id) : { kind: 'several', ids };
};

const idsByName = <Id>(
  found: readonly { readonly id: Id; readonly name: string }[],
): ReadonlyMap<string, readonly Id[]> =>
  new Map([...Map.groupBy(found, ({ name }) => name)].map(([name, all]) => [name, all.map(({ id }) => id)]));

const profilesNamed = async (ports: Needs, emails: readonly string[]) => {
  const found = await profilesByEmail(ports, new Set(emails));
  return new Map([...found].map(([email, id]) => [email, [id]]));
};

const groupsNamed = async ({ groups }: Needs, names: readonly string[]) => idsByName(await groups.findByNames(names));

const collectionsNamed = async ({ collections }: Needs, names: readonly string[]) =>
  idsByName(await collections.findByNames({ of: 'all' }, names));
