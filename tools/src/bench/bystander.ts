import { once } from 'node:events';
import { Agent, request, type RequestOptions } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** A request that is sent again and again over one connection, `everyMs` after its last answer. */
export interface RepeatedRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly everyMs: number;
}

/** From when a request is sent until its answer is there, in milliseconds. */
export interface Waits {
  readonly answered: number;
  readonly p99: number;
  readonly max: number;
  /** The longest that the event loop of the bystander itself was held: so much of `max` may be its own. */
  readonly ownMs: number;
}

export interface Bystander extends AsyncDisposable {
  /** The waits since they were taken last, by the request's name. */
  take(): Promise<Readonly<Record<string, Waits>>>;
}

interface Work {
  readonly address: string;
  readonly requests: readonly RepeatedRequest[];
}

/** Starts a thread of its own that sends these requests to the service at the address. */
export const startBystander = async (work: Work): Promise<Bystander> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: work });
  await once(worker, 'message');
  return {
    async take() {
      const answer = once(worker, 'message');
      worker.postMessage('take');
      const [taken] = (await answer) as [Readonly<Record<string, Waits>>];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
};

const ask = (options: RequestOptions, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });

const repeat = async (address: string, { everyMs, body, ...rest }: RepeatedRequest, waits: number[]) => {
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const from = performance.now();
    const status = await ask({ ...rest, agent, hostname, port }, body);
    waits.push(performance.now() - from);
    if (status >= 400) throw new Error(`${rest.method} ${rest.path} returned ${status}`);
    await pause(everyMs);
  }
};

if (!isMainThread && (workerData as Partial<Work>).requests) {
  const { address, requests } = workerData as Work;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const all = requests.map((each) => ({ name: each.name, waits: [] as number[], each }));
  for (const { each, waits } of all) void repeat(address, each, waits);
  parentPort?.on('message', () => {
    const ownMs = Math.max(0, delay.max / 1e6 - 1);
    delay.reset();
    parentPort?.postMessage(
      Object.fromEntries(
        all.map(({ name, waits }) => {
          const sorted = waits.splice(0).sort((x, y) => x - y);
          const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
          return [name, { answered: sorted.length, p99: at(0.99), max: at(1), ownMs }];
        }),
      ),
    );
  });
  parentPort?.postMessage('started');
}
