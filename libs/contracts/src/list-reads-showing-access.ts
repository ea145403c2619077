import type { Collection, Instant, Profile } from '@portico/domain';
import { start } from './records.ts';
import type { Stores } from './stores.ts';

/** Returns the reads that show the client's access to the collection at the given time, in the order of `everyRead`. */
export const listReadsShowingAccess = async (
  stores: Stores,
  client: Profile,
  { id }: Pick<Collection, 'id'>,
  now: Instant = start,
): Promise<readonly (keyof typeof reads)[]> => {
  const results = await Promise.all(everyRead.map((read) => reads[read](stores, client, id, now)));
  return everyRead.filter((_read, index) => results[index]);
};

const reads = {
  byUid: async ({ callers }, client, id, now) =>
    (await callers.findByUid(client.uid, { id, detail: 'head' }, now))?.hasGrant === true,
  byClientId: async ({ callers }, client, id, now) =>
    client.clientId !== null &&
    (await callers.findByClientId(client.clientId, { id, detail: 'full' }, now))?.hasGrant === true,
  list: async ({ collections }, client, id, now) =>
    (await collections.list(grantedVisibilityOf(client, now), null)).some((line) => line.id === id),
  page: async ({ collections }, client, id, now) =>
    (await collections.list(grantedVisibilityOf(client, now), { limit: 99, after: null })).some(
      (line) => line.id === id,
    ),
  byName: async ({ collections }, client, id, now) => {
    const name = (await collections.find(id))?.name ?? '';
    return (await collections.findByNames(grantedVisibilityOf(client, now), [name])).some((line) => line.id === id);
  },
  namesakes: async ({ collections }, client, id, now) => {
    const name = (await collections.find(id))?.name ?? '';
    return (await collections.listNamesakes(grantedVisibilityOf(client, now), [name])).some((line) => line.id === id);
  },
  visibleIds: async ({ collections }, client, id, now) =>
    (await collections.listVisibleIds(grantedVisibilityOf(client, now))).includes(id),
  collectionsOf: async ({ grants }, client, id, now) =>
    (await grants.listCollections(client.id, now))?.collections.some(
      (line) => line.id === id && line.grants.length > 0,
    ) === true,
  clientsOf: async ({ grants }, client, id, now) =>
    (await grants.listClients(id, now))?.some(({ profile }) => profile.id === client.id) === true,
} satisfies Record<string, (stores: Stores, client: Profile, id: Collection['id'], now: Instant) => Promise<boolean>>;

/** The names of all reads that show access to collections. */
export const everyRead = Object.keys(reads) as readonly (keyof typeof reads)[];

const grantedVisibilityOf = ({ id }: Profile, instant: Instant) =>
  ({ scope: 'granted', profileId: id, now: instant }) as const;
