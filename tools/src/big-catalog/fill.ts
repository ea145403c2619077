import {
  createRevision,
  toClientPair,
  dayMs,
  dayOf,
  noUses,
  toGroupPair,
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
import type { SeededRandom } from '../seeded-random.ts';
import { makeCollection, makeDocument, makeEntry, makePerson } from './random-objects.ts';

const noEffects = { deadline: null };
const statuses = ['pending', 'pending', 'approved', 'denied', 'withdrawn', 'granted'] as const;
const counts = { ...noUses, read: 5, slice: 3, credential_read: 1 };
const [documentCount, grantsPerClient, membersPerGroup, collectionsPerGroup, usageDays] = [300, 10, 20, 50, 30];
const [peopleBatchSize, entriesBatchSize] = [500, 5_000];

interface FillerOptions {
  readonly ports: Ports;
  readonly documents: DocumentReader;
  readonly random: SeededRandom;
  readonly now: Instant;
}

/**
 * Fills empty stores through their ports, as the service does, but in batches. Collections have no vectors, so searches
 * do not find them.
 */
export class Filler {
  readonly #options: FillerOptions;
  readonly #admins: Profile[] = [];
  readonly #clients: Profile[] = [];
  readonly #collections: Collection[] = [];

  constructor(options: FillerOptions) {
    this.#options = options;
  }

  /** Returns distinct elements, in random order. */
  #sample<T>(elements: readonly T[], count: number): readonly T[] {
    const { random } = this.#options;
    const sample = new Set<T>();
    while (sample.size < Math.min(count, elements.length)) sample.add(random.pick(elements));
    return [...sample];
  }

  /** Adds grants, one in ten of which expires within a year. */
  #grant(pairs: readonly Pair[]): Promise<void> {
    const { ports, random, now } = this.#options;
    const put = pairs.map((pair) => ({
      ...pair,
      grantedAt: now - random.nextIntegerBelow(300 * dayMs),
      expiresAt: random.nextIntegerBelow(10) === 0 ? now + random.nextIntegerBelow(365 * dayMs) : null,
      rule: null,
    }));
    return ports.grants.update(pairs, () => ({ put, ...noEffects }));
  }

  async addPeople(count: number): Promise<void> {
    const { ports, random, now } = this.#options;
    for (let index = 0; index < count; index++) {
      const person = makePerson(random, index, now);
      await ports.profiles.add(person, noEffects);
      if (person.role === 'admin') this.#admins.push(person);
      else if (person.status === 'approved') this.#clients.push(person);
    }
  }

  async addCollections(count: number): Promise<void> {
    const { ports, documents, random, now } = this.#options;
    // Parsing a document takes longer than storing it.
    const texts = Array.from({ length: Math.min(documentCount, count) }, () => makeDocument(random));
    const parsedDocuments = [];
    for (const text of texts) parsedDocuments.push(await documents.readFile(new TextEncoder().encode(text)));
    for (let index = 0; index < count; index++) {
      const document = random.pick(parsedDocuments);
      const collection = makeCollection(random, index, document, random.pick(this.#admins).id, now);
      const revision = createRevision(null, collection.importKey, null);
      await ports.collections.add(collection, { ...document, revision }, noEffects);
      this.#collections.push(collection);
    }
  }

  async addGroups(count: number): Promise<void> {
    const { ports, random, now } = this.#options;
    for (let index = 0; index < count; index++) {
      const groupFields = { description: 'The people who work on it.', tier: null, createdAt: now, updatedAt: now };
      const group: Group = {
        id: random.nextUuid<GroupId>(),
        name: `${index % 9 ? 'Partner' : 'Órgano'} team ${index}`,
        ...groupFields,
      };
      await ports.groups.add(group, noEffects);
      const members = this.#sample(this.#clients, membersPerGroup).map(({ id }) => id);
      const add = members.map((id) => ({ id, addedAt: now }));
      await ports.groups.updateMembers(group.id, members, now, () => ({ add, ...noEffects }));
      await this.#grant(
        this.#sample(this.#collections, collectionsPerGroup).map(({ id }) => toGroupPair(group.id, id)),
      );
    }
  }

  async addGrants(): Promise<void> {
    for (let start = 0; start < this.#clients.length; start += peopleBatchSize) {
      const batch = this.#clients.slice(start, start + peopleBatchSize);
      await this.#grant(
        batch.flatMap(({ id }) =>
          this.#sample(this.#collections, grantsPerClient).map((collection) => toClientPair(id, collection.id)),
        ),
      );
    }
  }

  /** Adds a request for every second client, and a limit override for every tenth. */
  async addRequests(): Promise<void> {
    const { ports, random, now } = this.#options;
    for (const [index, { id, clientId }] of this.#clients.entries()) {
      const createdAt = now - random.nextIntegerBelow(90 * dayMs);
      if (index % 2 === 0) {
        const collectionId = random.pick(this.#collections).id;
        const status = random.pick(statuses);
        const requestFields = { reason: 'For the new booking flow.', durationDays: 90, createdAt, answer: null };
        const decidedAt = status === 'pending' ? null : createdAt + 3_600_000;
        const request = {
          id: random.nextUuid<RequestId>(),
          profileId: id,
          collectionId,
          status,
          decidedAt,
          ...requestFields,
        };
        await ports.requests.create(id, collectionId, now, () => ({ request, ...noEffects }));
      }
      if (index % 10 !== 0 || clientId === null) continue;
      const override = { allowed: 500, windowSeconds: 60, clientId, isActive: true, createdAt, updatedAt: createdAt };
      await ports.limits.addOverride(id, () => ({ override, ...noEffects }));
    }
  }

  async addUsage(): Promise<void> {
    const { ports, random, now } = this.#options;
    for (let daysAgo = 0; daysAgo < usageDays; daysAgo++) {
      const lastUsedAt = now - daysAgo * dayMs;
      const dayUses = new Map<string, DayUse>();
      for (let index = 0; index < this.#clients.length; index++) {
        const [profileId, collectionId] = [
          random.pickSkewed(this.#clients).id,
          random.pickSkewed(this.#collections).id,
        ];
        const dayUse = { day: dayOf(lastUsedAt), profileId, collectionId, counts, lastUsedAt, keyUsedAt: lastUsedAt };
        dayUses.set(profileId + collectionId, dayUse);
      }
      await ports.usage.add([...dayUses.values()]);
    }
  }

  /** Adds a year's entries, oldest first, as the effects of empty changes. */
  async addEntries(count: number): Promise<void> {
    const { ports, random, now } = this.#options;
    for (let start = 0; start < count; start += entriesBatchSize) {
      const entries = Array.from({ length: Math.min(entriesBatchSize, count - start) }, (_, index) => {
        const instant = now - Math.floor((1 - (start + index) / count) * 365 * dayMs);
        return makeEntry(random, random.pickSkewed(this.#clients), random.pickSkewed(this.#collections), instant);
      });
      await ports.profiles.update(random.pick(this.#admins).id, (profile) => ({ ...profile, entries, ...noEffects }));
    }
  }
}
