import { once } from 'node:events';
import { Queue, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { createOutage, within, type Log, type Outage } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind, type Probe } from '@portico/domain';
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
  readonly log: Log;
}

/**
 * Sends ids to Redis while it accepts them. Keeps nothing for a Redis that is away: offers made then are dropped, so an
 * outage of any length costs no memory. An id that is still in Redis is not added again; `queueOptions` makes sure that
 * it leaves Redis once handed over.
 */
export class JobProducer {
  readonly probe: Probe = { name: 'job queue', essential: false, check: () => this.#check() };
  readonly #client: Redis;
  readonly #lanes: ReadonlyMap<JobKind, Lane>;
  readonly #outage: Outage;
  readonly #place: string;
  #lastError: unknown = 'the connection ended';
  #sends = false;
  #closed = false;

  constructor({ url, installation, togetherAtOnce = {}, log }: JobProducerOptions) {
    const client = connectForOffers(url);
    this.#client = client;
    const options: QueueOptions = {
      ...queueOptions,
      prefix: queuePrefix(installation),
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
    client.on('ready', () => {
      this.#outage.end();
      this.#sendSoon();
    });
    for (const { queue } of this.#lanes.values()) queue.on('error', noteError);
  }

  offer(kind: JobKind, ids: readonly JobId[]): void {
    const waiting = this.#lanes.get(kind)?.waiting;
    const isReady = this.#client.status === 'ready';
    if (!waiting || this.#closed || (this.#outage.kind !== null && !isReady)) return;
    for (const id of ids) {
      if (waiting.size >= waitingMax) break;
      waiting.add(id);
    }
    if (isReady) this.#sendSoon();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    await Promise.all(Array.from(this.#lanes.values(), ({ queue }) => queue.close()));
    this.#client.disconnect();
  }

  async #check(): Promise<void> {
    await within(probeMs, pong(this.#client));
  }

  #forget(): void {
    for (const { waiting } of this.#lanes.values()) waiting.clear();
  }

  #fail(error: unknown): void {
    this.#forget();
    if (this.#closed) return;
    this.#outage.begin({
      message: `Redis at ${this.#place} accepts no jobs; they wait in the outbox: ${reasonOf(error)}`,
    });
  }

  /** The first lane with waiting ids: mails come before embeddings. */
  #fullLane(): Lane | undefined {
    return [...this.#lanes.values()].find(({ waiting }) => waiting.size > 0);
  }

  /** Never within `offer`, so that an offer stays cheap. */
  #sendSoon(): void {
    if (this.#sends || !this.#fullLane()) return;
    this.#sends = true;
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    try {
      for (let lane = this.#fullLane(); lane && this.#maySend(); lane = this.#fullLane()) {
        await sendBatch(lane);
        this.#outage.end();
      }
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
  for (const id of batch) waiting.delete(id);
  // With each batch: a Redis that was emptied has lost the limit, and one used otherwise may have another.
  await (togetherAtOnce === null ? queue.removeGlobalConcurrency() : queue.setGlobalConcurrency(togetherAtOnce));
  await queue.addBulk(batch.map((jobId) => ({ name: jobName, data: {}, opts: { jobId } })));
};

/** Pings Redis; waits for the connection first if needed. */
const pong = async (client: Redis): Promise<void> => {
  if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(probeMs) });
  await client.ping();
};

/** The jobs of one kind: their queue in Redis, and the ids waiting to be sent there. */
interface Lane {
  readonly queue: Queue;
  readonly waiting: Set<JobId>;
  /** How many of them all processes together work at once; null means no limit. */
  readonly togetherAtOnce: number | null;
}

const openLane = (queue: Queue, togetherAtOnce: number | null): Lane => ({ queue, waiting: new Set(), togetherAtOnce });
