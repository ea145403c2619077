import type { Collection, Instant, Profile } from '@portico/domain';
import { start } from './records.ts';
import type { Stores } from './stores.ts';

/** Returns the reads that show the client's access to the collection at the given time, in the order of `everyRead`. */
export const readsShowingAccess = async (
  stores: Stores,
  client: Profile,
  { id }: Pick<Collection, 'id'>,
  now: Instant = start,
): Promise<readonly (keyof typeof reads)[]> => {
  const seen = await Promise.all(everyRead.map((read) => reads[read](stores, client, id, now)));
  return everyRead.filter((_read, index) => seen[index]);
};

const reads = {
  byUid: async ({ callers }, client, id, now) =>
    (await callers.byUid(client.uid, { id, part: 'head' }, now))?.granted === true,
  byClientId: async ({ callers }, client, id, now) =>
    client.clientId !== null &&
    (await callers.byClientId(client.clientId, { id, part: 'whole' }, now))?.granted === true,
  list: async ({ collections }, client, id, now) =>
    (await collections.list(grantedTo(client, now), null)).some((line) => line.id === id),
  page: async ({ collections }, client, id, now) =>
    (await collections.list(grantedTo(client, now), { limit: 99, after: null })).some((line) => line.id === id),
  byName: async ({ collections }, client, id, now) => {
    const name = (await collections.find(id))?.name ?? '';
    return (await collections.findByNames(grantedTo(client, now), [name])).some((line) => line.id === id);
  },
  visibleIds: async ({ collections }, client, id, now) =>
    (await collections.visibleIds(grantedTo(client, now))).includes(id),
  collectionsOf: async ({ grants }, client, id, now) =>
    (await grants.collectionsOf(client.id, now))?.collections.some((line) => line.id === id && line.ways.length > 0) ===
    true,
  clientsOf: async ({ grants }, client, id, now) =>
    (await grants.clientsOf(id, now))?.some(({ profile }) => profile.id === client.id) === true,
} satisfies Record<string, (stores: Stores, client: Profile, id: Collection['id'], now: Instant) => Promise<boolean>>;

/** The names of all reads that show access to collections. */
export const everyRead = Object.keys(reads) as readonly (keyof typeof reads)[];

const grantedTo = ({ id }: Profile, at: Instant) => ({ of: 'granted', to: id, at }) as const;
