import { once } from 'node:events';
import { Queue, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { createOutage, rejectOnTimeout, type Log, type Outage } from '@portico/dependencies';
import { jobKinds, type JobId, type JobKind, type JobQueue, type Probe } from '@portico/domain';
import { connectProducer, addressOf, reasonOf } from './connections.ts';
import { jobName, queueOptions, queuePrefix } from './queue-options.ts';

/** The maximum number of waiting ids per kind. Further ids are dropped; the outbox offers them again. */
const waitingMax = 10_000;
const batchMax = 500;
const probeMs = 2_000;

export interface JobProducerOptions {
  readonly url: string;
  readonly installation: string;
  readonly globalConcurrency?: Partial<Readonly<Record<JobKind, number>>>;
  /** Receives the jobs that Redis does not accept. */
  readonly fallback: Pick<JobQueue, 'offer'>;
  readonly log: Log;
}

/**
 * Sends ids to Redis while Redis accepts them. Sends them to the fallback if Redis is unavailable, full or read-only,
 * or rejects the commands that BullMQ uses. After each connect and each failure, such commands must prove that Redis
 * accepts ids before the next id is sent. An id that is still in Redis is not added again; `queueOptions` ensures that
 * it is removed once it has been processed.
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
  readonly #address: string;
  readonly #prefix: string;
  readonly #fallback: JobProducerOptions['fallback'];
  #lastError: unknown = 'the connection was closed';
  #isVerified = false;
  #isSending = false;
  #isClosed = false;

  constructor({ url, installation, globalConcurrency = {}, fallback, log }: JobProducerOptions) {
    const client = connectProducer(url);
    this.#client = client;
    this.#prefix = queuePrefix(installation);
    this.#fallback = fallback;
    const options: QueueOptions = {
      ...queueOptions,
      prefix: this.#prefix,
      connection: client,
      // Without the version check, the setup does not contact the server, so it cannot fail.
      skipVersionCheck: true,
      skipWaitingForReady: true,
    };
    this.#lanes = new Map(
      jobKinds.map((kind) => [kind, openLane(new Queue(kind, options), globalConcurrency[kind] ?? null)]),
    );
    this.#address = addressOf(client);
    this.#outage = createOutage(log, { recoveryMessage: `Redis at ${this.#address} accepts jobs again` });
    const rememberError = (error: unknown) => (this.#lastError = error);
    client.on('error', rememberError);
    client.on('close', () => this.#fail(this.#lastError));
    client.on('ready', () => this.requireVerification());
    for (const { queue } of this.#lanes.values()) queue.on('error', rememberError);
  }

  offer(kind: JobKind, ids: readonly JobId[]): void {
    const waitingIds = this.#lanes.get(kind)?.waitingIds;
    if (!waitingIds || this.#isClosed) return;
    if (this.#outage.kind !== null && this.#client.status !== 'ready') {
      this.#fallback.offer(kind, ids);
      return;
    }
    for (const id of ids) {
      if (waitingIds.size >= waitingMax) break;
      waitingIds.add(id);
    }
    this.#scheduleSend();
  }

  /** Requires a new proof that Redis accepts jobs. */
  requireVerification(): void {
    this.#isVerified = false;
    this.#scheduleSend();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { waitingIds } of this.#lanes.values()) waitingIds.clear();
    await Promise.all(Array.from(this.#lanes.values(), ({ queue }) => queue.close()));
    this.#client.disconnect();
  }

  async #check(): Promise<void> {
    const client = this.#client;
    if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(probeMs) });
    try {
      await this.#verify();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async #verify(): Promise<void> {
    await rejectOnTimeout(probeMs, probeQueueCommands(this.#client, this.#prefix));
    this.#isVerified = true;
    this.#outage.end();
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isVerified = false;
    this.#outage.start({
      message: `Redis at ${this.#address} accepts no jobs; processing them without Redis: ${reasonOf(error)}`,
    });
    for (const [kind, { waitingIds }] of this.#lanes) {
      this.#fallback.offer(kind, [...waitingIds]);
      waitingIds.clear();
    }
  }

  /** Returns the first lane with waiting ids. Emails come before embeddings. */
  #findNextLane(): Lane | undefined {
    return [...this.#lanes.values()].find(({ waitingIds }) => waitingIds.size > 0);
  }

  /** Schedules sending, so that `offer` is fast: it never sends synchronously. */
  #scheduleSend(): void {
    if (this.#isSending || !this.#canSend() || (this.#isVerified && !this.#findNextLane())) return;
    this.#isSending = true;
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    try {
      if (!this.#isVerified) await this.#verify();
      for (let lane = this.#findNextLane(); lane && this.#canSend(); lane = this.#findNextLane()) await sendBatch(lane);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isSending = false;
    }
  }

  #canSend(): boolean {
    return !this.#isClosed && this.#client.status === 'ready';
  }
}

const sendBatch = async ({ queue, waitingIds, globalConcurrency }: Lane): Promise<void> => {
  const batch = [...waitingIds].slice(0, batchMax);
  // Set with each batch, because an emptied Redis has lost the limit, and a reused Redis may have a different limit.
  await (globalConcurrency === null ? queue.removeGlobalConcurrency() : queue.setGlobalConcurrency(globalConcurrency));
  await queue.addBulk(batch.map((jobId) => ({ name: jobName, data: {}, opts: { jobId } })));
  for (const id of batch) waitingIds.delete(id);
};

/**
 * Writes and reads with a script, and pops from an empty set, as BullMQ does: PING does not prove these permissions.
 */
const probeQueueCommands = async (client: Redis, prefix: string): Promise<void> => {
  await client.eval(writeAndRead, 1, `${prefix}:check`);
  await client.bzpopmin(`${prefix}:check:empty`, 0.001);
};

const writeAndRead = `redis.call('set', KEYS[1], '') redis.call('get', KEYS[1]) return redis.call('del', KEYS[1])`;

/** The jobs of one kind: their queue in Redis, and the ids waiting to be sent to it. */
interface Lane {
  readonly queue: Queue;
  readonly waitingIds: Set<JobId>;
  /** The maximum number of concurrent jobs in all processes together; null means no limit. */
  readonly globalConcurrency: number | null;
}

const openLane = (queue: Queue, globalConcurrency: number | null): Lane => ({
  queue,
  waitingIds: new Set(),
  globalConcurrency,
});
