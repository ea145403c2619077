import { once } from 'node:events';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobKinds, type JobId, type JobKind, type Probe } from '@portico/domain';
import { connectForOffers, placeOf, reasonOf } from './connections.ts';
import { place } from './place.ts';
import { createOutage } from './outage.ts';
import { settlesWithin } from './within.ts';

/** How many ids of each kind may wait to be sent; beyond it they are dropped, since the outbox offers them again. */
const waitingMax = 10_000;
const batchMax = 500;
const probeMs = 2_000;

/** Sends ids to Redis, as long as there is one that takes them. */
export interface JobProducer {
  readonly probe: Probe;
  offer(kind: JobKind, ids: readonly JobId[]): void;
  close(): Promise<void>;
}

/**
 * Nothing is kept for a Redis that is away: what is offered then is dropped, so that an outage of any length costs no memory. An
 * id that is in Redis already is not taken a second time; that it left Redis with its last handing over is seen to by `place`.
 */
export const openJobProducer = (
  url: string,
  togetherAtOnce: Partial<Readonly<Record<JobKind, number>>>,
  warn: (message: string) => void,
): JobProducer => {
  const client = connectForOffers(url);
  const lanes = new Map(jobKinds.map((kind) => [kind, openLane(kind, client, togetherAtOnce[kind] ?? null)]));
  const outage = createOutage(placeOf(client), warn);
  let lastError: unknown = 'the connection ended';
  let sends = false;
  let closed = false;

  const fail = (error: unknown): void => {
    for (const { waiting } of lanes.values()) waiting.clear();
    if (!closed) outage.begin(reasonOf(error));
  };
  /** Mails before what is embedded. */
  const fullLane = (): Lane | undefined => [...lanes.values()].find(({ waiting }) => waiting.size > 0);
  const send = async (): Promise<void> => {
    try {
      for (let lane = fullLane(); lane && !closed && client.status === 'ready'; lane = fullLane()) {
        const { queue, waiting, togetherAtOnce: bound } = lane;
        const batch = [...waiting].slice(0, batchMax);
        for (const id of batch) waiting.delete(id);
        // With each batch: a Redis that was emptied has forgotten it, and one that was used otherwise may have another.
        await (bound === null ? queue.removeGlobalConcurrency() : queue.setGlobalConcurrency(bound));
        await queue.addBulk(batch.map((jobId) => ({ name: place.jobName, data: {}, opts: { jobId } })));
        outage.end();
      }
    } catch (error) {
      fail(error);
    } finally {
      sends = false;
    }
  };
  // Never within the offer: whoever offers pays for nothing but the offer.
  const sendSoon = (): void => {
    if (sends || !fullLane()) return;
    sends = true;
    setImmediate(() => void send());
  };

  client.on('error', (error: unknown) => (lastError = error));
  client.on('close', () => fail(lastError));
  client.on('ready', () => {
    outage.end();
    sendSoon();
  });
  for (const { queue } of lanes.values()) queue.on('error', (error) => (lastError = error));

  return {
    probe: {
      name: 'job queue',
      essential: false,
      check: async () => {
        const answer = pong(client);
        if (!(await settlesWithin(probeMs, answer))) throw new Error(`No answer within ${probeMs} ms`);
        await answer;
      },
    },
    offer(kind, ids) {
      const waiting = lanes.get(kind)?.waiting;
      if (!waiting || closed || (outage.active && client.status !== 'ready')) return;
      for (const id of ids) {
        if (waiting.size >= waitingMax) break;
        waiting.add(id);
      }
      if (client.status === 'ready') sendSoon();
    },
    async close() {
      closed = true;
      for (const { waiting } of lanes.values()) waiting.clear();
      await Promise.all(Array.from(lanes.values(), ({ queue }) => queue.close()));
      client.disconnect();
    },
  };
};

/** Its answer to a ping; where it does not stand yet it is given the time to. */
const pong = async (client: Redis): Promise<void> => {
  if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(probeMs) });
  await client.ping();
};

/** The jobs of one kind: their queue in Redis, and what waits to be sent there. */
interface Lane {
  readonly queue: Queue;
  readonly waiting: Set<JobId>;
  /** How many of them all processes together work at once; null: it is not bounded. */
  readonly togetherAtOnce: number | null;
}

const openLane = (kind: JobKind, connection: Redis, togetherAtOnce: number | null): Lane => ({
  // Without the check of the version its first steps need no server, so that it cannot begin broken.
  queue: new Queue(kind, { ...place.options, connection, skipVersionCheck: true, skipWaitingForReady: true }),
  waiting: new Set(),
  togetherAtOnce,
});
