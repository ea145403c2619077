import { once } from 'node:events';
import { Queue, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { createOutage, within, type Log, type Outage } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind, type JobQueue, type Probe } from '@portico/domain';
import { connectForOffers, placeOf, reasonOf } from './connections.ts';
import { jobName, queueOptions, queuePrefix } from './queue-options.ts';

/** How many ids of each kind may wait to be sent; more are dropped, since the outbox offers them again. */
const waitingMax = 10_000;
const batchMax = 500;
const probeMs = 2_000;

export interface JobProducerOptions {
  readonly url: string;
  readonly installation: string;
  readonly togetherAtOnce?: Partial<Readonly<Record<JobKind, number>>>;
  /** Gets what Redis does not take. */
  readonly fallback: Pick<JobQueue, 'offer'>;
  readonly log: Log;
}

/**
 * Sends ids to Redis while it takes them, and to the fallback while it does not: a Redis that is away, full, read-only,
 * or refuses the commands that BullMQ uses. That it takes them is proven by such commands after each connection and each
 * failure, before the first id is sent. An id that is still in Redis is not added again; `queueOptions` makes sure that
 * it leaves Redis once handed over.
 */
export class JobProducer {
  readonly probe: Probe = {
    name: 'job queue',
    essential: false,
    check: () => this.#check(),
    inFallback: () => this.#outage.kind !== null,
  };
  readonly #client: Redis;
  readonly #lanes: ReadonlyMap<JobKind, Lane>;
  readonly #outage: Outage;
  readonly #place: string;
  readonly #prefix: string;
  readonly #fallback: JobProducerOptions['fallback'];
  #lastError: unknown = 'the connection ended';
  #isProven = false;
  #sends = false;
  #closed = false;

  constructor({ url, installation, togetherAtOnce = {}, fallback, log }: JobProducerOptions) {
    const client = connectForOffers(url);
    this.#client = client;
    this.#prefix = queuePrefix(installation);
    this.#fallback = fallback;
    const options: QueueOptions = {
      ...queueOptions,
      prefix: this.#prefix,
      connection: client,
      // Without the version check its setup needs no server, and so cannot start broken.
      skipVersionCheck: true,
      skipWaitingForReady: true,
    };
    this.#lanes = new Map(
      jobKinds.map((kind) => [kind, openLane(new Queue(kind, options), togetherAtOnce[kind] ?? null)]),
    );
    this.#place = placeOf(client);
    this.#outage = createOutage(log, { back: `Redis at ${this.#place} accepts jobs again` });
    const noteError = (error: unknown) => (this.#lastError = error);
    client.on('error', noteError);
    client.on('close', () => this.#fail(this.#lastError));
    client.on('ready', () => this.doubt());
    for (const { queue } of this.#lanes.values()) queue.on('error', noteError);
  }

  offer(kind: JobKind, ids: readonly JobId[]): void {
    const waiting = this.#lanes.get(kind)?.waiting;
    if (!waiting || this.#closed) return;
    if (this.#outage.kind !== null && this.#client.status !== 'ready') {
      this.#fallback.offer(kind, ids);
      return;
    }
    for (const id of ids) {
      if (waiting.size >= waitingMax) break;
      waiting.add(id);
    }
    this.#sendSoon();
  }

  /** Has it proven anew that Redis takes jobs. */
  doubt(): void {
    this.#isProven = false;
    this.#sendSoon();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { waiting } of this.#lanes.values()) waiting.clear();
    await Promise.all(Array.from(this.#lanes.values(), ({ queue }) => queue.close()));
    this.#client.disconnect();
  }

  async #check(): Promise<void> {
    const client = this.#client;
    if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(probeMs) });
    try {
      await this.#prove();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async #prove(): Promise<void> {
    await within(probeMs, useAsQueue(this.#client, this.#prefix));
    this.#isProven = true;
    this.#outage.end();
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#isProven = false;
    this.#outage.begin({
      message: `Redis at ${this.#place} accepts no jobs; they are worked without it: ${reasonOf(error)}`,
    });
    for (const [kind, { waiting }] of this.#lanes) {
      this.#fallback.offer(kind, [...waiting]);
      waiting.clear();
    }
  }

  /** The first lane with waiting ids: mails come before embeddings. */
  #fullLane(): Lane | undefined {
    return [...this.#lanes.values()].find(({ waiting }) => waiting.size > 0);
  }

  /** Never within `offer`, so that an offer stays cheap. */
  #sendSoon(): void {
    if (this.#sends || !this.#maySend() || (this.#isProven && !this.#fullLane())) return;
    this.#sends = true;
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    try {
      if (!this.#isProven) await this.#prove();
      for (let lane = this.#fullLane(); lane && this.#maySend(); lane = this.#fullLane()) await sendBatch(lane);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#sends = false;
    }
  }

  #maySend(): boolean {
    return !this.#closed && this.#client.status === 'ready';
  }
}

const sendBatch = async ({ queue, waiting, togetherAtOnce }: Lane): Promise<void> => {
  const batch = [...waiting].slice(0, batchMax);
  // With each batch: a Redis that was emptied has lost the limit, and one used otherwise may have another.
  await (togetherAtOnce === null ? queue.removeGlobalConcurrency() : queue.setGlobalConcurrency(togetherAtOnce));
  await queue.addBulk(batch.map((jobId) => ({ name: jobName, data: {}, opts: { jobId } })));
  for (const id of batch) waiting.delete(id);
};

/** Writes and reads by a script, and takes from an empty set, as BullMQ does: PING says nothing of a right to that. */
const useAsQueue = async (client: Redis, prefix: string): Promise<void> => {
  await client.eval(writeAndRead, 1, `${prefix}:check`);
  await client.bzpopmin(`${prefix}:check:empty`, 0.001);
};

const writeAndRead = `redis.call('set', KEYS[1], '') redis.call('get', KEYS[1]) return redis.call('del', KEYS[1])`;

/** The jobs of one kind: their queue in Redis, and the ids waiting to be sent there. */
interface Lane {
  readonly queue: Queue;
  readonly waiting: Set<JobId>;
  /** How many of them all processes together work at once; null means no limit. */
  readonly togetherAtOnce: number | null;
}

const openLane = (queue: Queue, togetherAtOnce: number | null): Lane => ({ queue, waiting: new Set(), togetherAtOnce });
