import {
  clientPair,
  dayMs,
  dayOf,
  groupPair,
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
const counts = { read: 5, search: 0, slice: 3, credential_read: 1, refused: 0 };
const [documentCount, grantsEach, groupMembers, groupCollections, usageDays] = [300, 10, 20, 50, 30];
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
  #sample<T>(from: readonly T[], count: number): readonly T[] {
    const { random: dice } = this.#options;
    const some = new Set<T>();
    while (some.size < Math.min(count, from.length)) some.add(dice.one(from));
    return [...some];
  }

  /** Adds grants, one in ten of which expires within a year. */
  #grant(pairs: readonly Pair[]): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    const put = pairs.map((pair) => ({
      ...pair,
      grantedAt: now - dice.below(300 * dayMs),
      expiresAt: dice.below(10) === 0 ? now + dice.below(365 * dayMs) : null,
    }));
    return ports.grants.update(pairs, () => ({ put, ...noEffects }));
  }

  async addPeople(count: number): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    for (let at = 0; at < count; at++) {
      const person = makePerson(dice, at, now);
      await ports.profiles.add(person, noEffects);
      if (person.role === 'admin') this.#admins.push(person);
      else if (person.status === 'approved') this.#clients.push(person);
    }
  }

  async addCollections(count: number): Promise<void> {
    const { ports, documents, random: dice, now } = this.#options;
    // Parsing a document takes longer than storing it.
    const texts = Array.from({ length: Math.min(documentCount, count) }, () => makeDocument(dice));
    const read = [];
    for (const text of texts) read.push(await documents.readFile(new TextEncoder().encode(text), 'json'));
    for (let at = 0; at < count; at++) {
      const document = dice.one(read);
      const collection = makeCollection(dice, at, document, dice.one(this.#admins).id, now);
      await ports.collections.add(collection, document, noEffects);
      this.#collections.push(collection);
    }
  }

  async addGroups(count: number): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    for (let at = 0; at < count; at++) {
      const facts = { description: 'The people who work on it.', tier: null, createdAt: now, updatedAt: now };
      const group: Group = { id: dice.uuid<GroupId>(), name: `${at % 9 ? 'Partner' : 'Órgano'} team ${at}`, ...facts };
      await ports.groups.add(group, noEffects);
      const members = this.#sample(this.#clients, groupMembers).map(({ id }) => id);
      const add = members.map((id) => ({ id, addedAt: now }));
      await ports.groups.updateMembers(group.id, members, now, () => ({ add, ...noEffects }));
      await this.#grant(this.#sample(this.#collections, groupCollections).map(({ id }) => groupPair(group.id, id)));
    }
  }

  async addGrants(): Promise<void> {
    for (let from = 0; from < this.#clients.length; from += peopleBatchSize) {
      const some = this.#clients.slice(from, from + peopleBatchSize);
      await this.#grant(
        some.flatMap(({ id }) => this.#sample(this.#collections, grantsEach).map((each) => clientPair(id, each.id))),
      );
    }
  }

  /** Adds a request for every second client, and a limit override for every tenth. */
  async addRequests(): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    for (const [at, { id, clientId }] of this.#clients.entries()) {
      const createdAt = now - dice.below(90 * dayMs);
      if (at % 2 === 0) {
        const collectionId = dice.one(this.#collections).id;
        const status = dice.one(statuses);
        const facts = { reason: 'For the new booking flow.', durationDays: 90, createdAt, answer: null };
        const decidedAt = status === 'pending' ? null : createdAt + 3_600_000;
        const request = { id: dice.uuid<RequestId>(), profileId: id, collectionId, status, decidedAt, ...facts };
        await ports.requests.create(id, collectionId, now, () => ({ request, ...noEffects }));
      }
      if (at % 10 !== 0 || clientId === null) continue;
      const override = { allowed: 500, windowSeconds: 60, clientId, isActive: true, createdAt, updatedAt: createdAt };
      await ports.limits.addOverride(id, () => ({ override, ...noEffects }));
    }
  }

  async addUsage(): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    for (let ago = 0; ago < usageDays; ago++) {
      const lastUsedAt = now - ago * dayMs;
      const uses = new Map<string, DayUse>();
      for (let at = 0; at < this.#clients.length; at++) {
        const [profileId, collectionId] = [dice.skewed(this.#clients).id, dice.skewed(this.#collections).id];
        const use = { day: dayOf(lastUsedAt), profileId, collectionId, counts, lastUsedAt, keyUsedAt: lastUsedAt };
        uses.set(profileId + collectionId, use);
      }
      await ports.usage.add([...uses.values()]);
    }
  }

  /** Adds a year's entries, oldest first, as the effects of empty changes. */
  async addEntries(count: number): Promise<void> {
    const { ports, random: dice, now } = this.#options;
    for (let from = 0; from < count; from += entriesBatchSize) {
      const entries = Array.from({ length: Math.min(entriesBatchSize, count - from) }, (_, at) => {
        const instant = now - Math.floor((1 - (from + at) / count) * 365 * dayMs);
        return makeEntry(dice, dice.skewed(this.#clients), dice.skewed(this.#collections), instant);
      });
      await ports.profiles.update(dice.one(this.#admins).id, (stored) => ({ ...stored, entries, ...noEffects }));
    }
  }
}
