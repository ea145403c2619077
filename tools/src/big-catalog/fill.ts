import {
  clientPair,
  dayMs,
  dayOf,
  groupPair,
  type AccessRequest,
  type Collection,
  type DayUse,
  type DocumentReader,
  type Group,
  type GroupId,
  type Instant,
  type Pair,
  type Ports,
  type Profile,
  type RequestId,
} from '@portico/domain';
import { makeEntries, type Acting } from './audit-entries.ts';
import { documentTexts, makeCollection } from './collections.ts';
import type { Dice } from './dice.ts';
import { makePeople } from './people.ts';
import type { Sizes } from './sizes.ts';

const noEffects = { deadline: null };
type Told = (what: string) => void;

/** Fills empty stores by their ports, as the service would, but in lots. Collections have no vectors: no search finds them. */
export const fill = async (
  ports: Ports,
  documents: DocumentReader,
  sizes: Sizes,
  dice: Dice,
  now: Instant,
  told: Told,
): Promise<void> => {
  const people = await fillPeople(ports, makePeople(dice, sizes.people, now));
  told(`${people.length} people`);
  const clients = people.filter(({ role, status }) => role === 'client' && status === 'approved');
  const admins = people.filter(({ role }) => role === 'admin');
  const collections = await fillCollections(ports, documents, sizes, dice, admins, now);
  told(`${collections.length} collections`);
  const acting = { admins, clients, collections };
  await fillGroups(ports, sizes, dice, acting, now);
  told(`${sizes.groups} groups`);
  await fillGrants(ports, sizes, dice, acting, now);
  told(`${clients.length * sizes.grantsPerPerson} grants`);
  await fillRequests(ports, sizes, dice, acting, now);
  await fillOverrides(ports, sizes, dice, clients, now);
  told(`${sizes.requests} requests for access, ${sizes.overrides} overrides`);
  await fillUsage(ports, sizes, dice, acting, now);
  told(`use of ${sizes.usageDays} days`);
  await fillAudit(ports, sizes, dice, acting, now);
  told(`${sizes.entries} entries of the audit log`);
};

const fillPeople = async ({ profiles }: Ports, people: readonly Profile[]): Promise<readonly Profile[]> => {
  for (const profile of people) await profiles.add(profile, noEffects);
  return people;
};

const fillCollections = async (
  { collections }: Ports,
  documents: DocumentReader,
  sizes: Sizes,
  dice: Dice,
  admins: readonly Profile[],
  now: Instant,
): Promise<readonly Collection[]> => {
  const texts = documentTexts(dice, sizes.collections);
  const read = [];
  for (const text of texts) read.push(await documents.readFile(new TextEncoder().encode(text), 'json'));
  const all: Collection[] = [];
  for (let at = 0; at < sizes.collections; at++) {
    const document = dice.one(read);
    const collection = makeCollection(dice, at, document, dice.one(admins).id, now);
    await collections.add(collection, document, noEffects);
    all.push(collection);
  }
  return all;
};

const departments = [
  'Payments',
  'Logistics',
  'Research',
  'Field service',
  'Partner',
  'Órgano',
  'Platform',
  'Sales',
] as const;

const fillGroups = async (ports: Ports, sizes: Sizes, dice: Dice, { clients, collections }: Acting, now: Instant) => {
  for (let at = 0; at < sizes.groups; at++) {
    const createdAt = now - dice.below(300 * dayMs);
    const group: Group = {
      id: dice.uuid<GroupId>(),
      name: `${dice.one(departments)} team ${at}`,
      description: 'Who works on it, and what they use.',
      tier: null,
      createdAt,
      updatedAt: createdAt,
    };
    await ports.groups.add(group, noEffects);
    const members = drawn(dice, clients, sizes.groupMembers).map(({ id }) => id);
    await ports.groups.updateMembers(group.id, members, now, () => ({
      add: members.map((id) => ({ id, addedAt: now })),
      ...noEffects,
    }));
    await grant(
      ports,
      drawn(dice, collections, sizes.groupCollections).map(({ id }) => groupPair(group.id, id)),
      dice,
      now,
    );
  }
};

const fillGrants = async (ports: Ports, sizes: Sizes, dice: Dice, { clients, collections }: Acting, now: Instant) => {
  const peopleAtOnce = Math.max(1, Math.floor(5_000 / Math.max(1, sizes.grantsPerPerson)));
  for (let from = 0; from < clients.length; from += peopleAtOnce) {
    const pairs = clients
      .slice(from, from + peopleAtOnce)
      .flatMap(({ id }) => drawn(dice, collections, sizes.grantsPerPerson).map((each) => clientPair(id, each.id)));
    await grant(ports, pairs, dice, now);
  }
};

/** One of ten ends within a year. */
const grant = ({ grants }: Ports, pairs: readonly Pair[], dice: Dice, now: Instant): Promise<void> => {
  const put = pairs.map((pair) => ({
    ...pair,
    grantedAt: now - dice.below(300 * dayMs),
    expiresAt: dice.below(10) === 0 ? now + dice.below(365 * dayMs) : null,
  }));
  return grants.update(pairs, () => ({ put, ...noEffects }));
};

/** Different ones, in no order. */
const drawn = <T>(dice: Dice, from: readonly T[], count: number): readonly T[] => {
  const found = new Set<T>();
  while (found.size < Math.min(count, from.length)) found.add(dice.one(from));
  return [...found];
};

const statuses = ['pending', 'pending', 'approved', 'denied', 'withdrawn', 'granted'] as const;

const fillRequests = async (
  { requests }: Ports,
  sizes: Sizes,
  dice: Dice,
  { clients, collections }: Acting,
  now: Instant,
) => {
  const asked = new Set<string>();
  while (asked.size < Math.min(sizes.requests, clients.length * collections.length)) {
    const [client, collection] = [dice.one(clients), dice.one(collections)];
    if (asked.has(client.id + collection.id)) continue;
    asked.add(client.id + collection.id);
    const status = dice.one(statuses);
    const createdAt = now - dice.below(90 * dayMs);
    const request: AccessRequest = {
      id: dice.uuid<RequestId>(),
      profileId: client.id,
      collectionId: collection.id,
      reason: 'For the new booking flow, which needs it before the summer.',
      durationDays: dice.below(2) ? 90 : null,
      status,
      createdAt,
      decidedAt: status === 'pending' ? null : createdAt + 3_600_000,
      answer: status === 'denied' ? 'Use the one of your own team.' : null,
    };
    await requests.ask(client.id, collection.id, now, () => ({ request, ...noEffects }));
  }
};

const fillOverrides = async (
  { limits }: Ports,
  sizes: Sizes,
  dice: Dice,
  clients: readonly Profile[],
  now: Instant,
) => {
  for (const { id, clientId } of drawn(dice, clients, sizes.overrides)) {
    if (clientId === null) continue;
    const rule = { allowed: 100 * (1 + dice.below(50)), windowSeconds: 60 };
    const override = { ...rule, clientId, isActive: true, createdAt: now, updatedAt: now };
    await limits.addOverride(id, () => ({ override, ...noEffects }));
  }
};

const fillUsage = async (
  { usage }: Ports,
  sizes: Sizes,
  dice: Dice,
  { clients, collections }: Acting,
  now: Instant,
) => {
  for (let ago = sizes.usageDays - 1; ago >= 0; ago--) {
    const start = dayOf(now - ago * dayMs) * dayMs;
    const uses = new Map<string, DayUse>();
    for (let at = 0; at < sizes.usesPerDay; at++) {
      const [profileId, collectionId] = [dice.skewed(clients).id, dice.skewed(collections).id];
      const counts = {
        read: 1 + dice.below(20),
        search: 0,
        slice: dice.below(30),
        credential_read: dice.below(3),
        refused: 0,
      };
      const lastUsedAt = Math.min(now, start + dice.below(dayMs));
      uses.set(profileId + collectionId, {
        day: dayOf(start),
        profileId,
        collectionId,
        counts,
        lastUsedAt,
        keyUsedAt: lastUsedAt,
      });
    }
    await usage.add([...uses.values()]);
  }
};

const entriesAtOnce = 5_000;

/** Writes them as the effects of a change that changes nothing. */
const fillAudit = async ({ profiles }: Ports, sizes: Sizes, dice: Dice, acting: Acting, now: Instant) => {
  const [admin] = acting.admins;
  if (!admin) throw new Error('There is no admin');
  const write = (entries: Parameters<typeof profiles.add>[1]['entries']) =>
    profiles.update(admin.id, ({ profile, key }) => ({ profile, key, ...(entries ? { entries } : {}), ...noEffects }));
  let lot = [];
  for (const entry of makeEntries(dice, sizes.entries, acting, now)) {
    lot.push(entry);
    if (lot.length < entriesAtOnce) continue;
    await write(lot);
    lot = [];
  }
  await write(lot);
};
