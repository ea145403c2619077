import { setTimeout as pause } from 'node:timers/promises';
import { createDice } from '../big-catalog/dice.ts';
import { apiDocument } from './api-document.ts';
import type { Curve } from './curve.ts';
import { type Call, type Connections, openConnections, RefusedCall } from './load.ts';
import { startOwnService, type OwnService } from './own-service.ts';
import { median, quantile } from './quantiles.ts';

export const documents: Curve = {
  name: 'documents',
  title: 'Documents by size',
  x: { label: 'bytes of the document', scale: 'log' },
  charts: [
    { unit: 'ms', title: 'median, ms', scale: 'log' },
    { unit: 'ms CPU', title: 'CPU of the service for each, ms', scale: 'log' },
    { unit: 'ms wait', title: 'longest wait of another request meanwhile, ms', scale: 'log' },
    { unit: 'MiB', title: 'most memory of the service, MiB', scale: 'linear' },
  ],
  setting:
    'A service on SQLite with its jobs, one caller: a document is imported, another one put in its place, and read with ' +
    'gzip and without. All of it is repeated while another caller reads a small collection again and again, and waits.',
  reading:
    'Below 100 KB the cost is that of a request with its commit and its jobs; above, reading, packing and ' +
    'embedding follow the size one to one, most of it in threads beside the event loop. A read with gzip sends ' +
    'the stored bytes, and grows least; without gzip each answer is unpacked. An import of 20 MB takes 2 s of a ' +
    'core, and on a busy machine several times that: what is not done within the 10 s of a request is refused ' +
    'as a whole. Other requests wait longest while large documents come in on a machine whose cores are taken. ' +
    'Who imports many large documents does it one after another, and gives the service a core more; memory for ' +
    'it is some 350 MiB above an idle service.',
  async *measure({ quick, folder, tell, note }) {
    const service = await startOwnService(folder);
    const connections = openConnections(service.address, 1);
    try {
      const headers = { authorization: `Bearer ${service.admin.token}` };
      const small = await idOf(connections.send(importing(headers, 0, 2_000)));
      const beside = { path: `/api/collections/${small}/metadata`, headers };
      for (const bytes of quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000, 5_000_000, 20_000_000]) {
        tell(`${bytes} bytes`);
        const times = quick ? 2 : bytes >= 5_000_000 ? 3 : 15;
        for (const work of worksOf(connections, headers, bytes, times)) {
          try {
            const figures = await figuresOf(service, beside, work);
            yield* figures.map((figure) => ({ x: bytes, series: work.series, ...figure }));
          } catch (error) {
            if (!(error instanceof RefusedCall)) throw error;
            note(`${work.series} of ${bytes.toLocaleString('en')} bytes: ${error.message}`);
          }
        }
      }
    } finally {
      connections.close();
      await service.stop();
    }
  },
};

type Headers = Readonly<Record<string, string>>;

interface Work {
  readonly series: string;
  readonly repetitions: number;
  /** After each, so that the next one does not begin while its jobs are running. */
  readonly pauseMs: number;
  readonly work: (at: number) => Promise<unknown>;
}

/** To be done so many times, and as many times again. Each document is another one, so that nothing is recognised. */
const worksOf = (connections: Connections, headers: Headers, bytes: number, times: number): readonly Work[] => {
  const documentsFrom = (seed: number) =>
    Array.from({ length: 2 * times }, (_, at) => importing(headers, seed + at, bytes));
  const [imports, updates] = [documentsFrom(1), documentsFrom(1 + 2 * times)];
  let path = '';
  const reading = (coding: string) => () =>
    connections.send({ path, headers: { ...headers, 'accept-encoding': coding } });
  const writes = { repetitions: times, pauseMs: 200 };
  const reads = { repetitions: times * 10, pauseMs: 0 };
  return [
    {
      series: 'import',
      ...writes,
      work: async (at) => {
        path = `/api/collections/${await idOf(connections.send(imports[at]!))}`;
      },
    },
    { series: 'update', ...writes, work: (at) => connections.send({ ...updates[at]!, method: 'PUT', path }) },
    { series: 'read, gzip', ...reads, work: reading('gzip') },
    { series: 'read, no coding', ...reads, work: reading('identity') },
  ];
};

const importing = (headers: Headers, seed: number, bytes: number): Call => {
  const name = `Document ${seed} of ${bytes} bytes`;
  const body = JSON.stringify({ name, openapi_spec: apiDocument(createDice(seed), name, bytes) });
  const json = { ...headers, 'content-type': 'application/json' };
  return { method: 'POST', path: '/api/collections/', headers: json, body: Buffer.from(body) };
};

const idOf = async (answer: Promise<Buffer>): Promise<string> =>
  (JSON.parse((await answer).toString('utf8')) as { readonly id: string }).id;

const figuresOf = async (service: OwnService, beside: Call, work: Work) => {
  const { cpuMs } = await service.usage();
  const taken = await repeated(work, 0);
  const spentMs = (await service.usage()).cpuMs - cpuMs;
  const { longestWaitMs, mostMiB } = await observed(service, beside, () => repeated(work, work.repetitions));
  return [
    { value: median(taken), unit: 'ms' },
    { value: spentMs / taken.length, unit: 'ms CPU' },
    { value: longestWaitMs, unit: 'ms wait' },
    { value: mostMiB, unit: 'MiB' },
  ];
};

/** Returns how long each took, in milliseconds. */
const repeated = async ({ repetitions, pauseMs, work }: Work, from: number): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let at = 0; at < repetitions; at++) {
    const start = performance.now();
    await work(from + at);
    times.push(performance.now() - start);
    if (pauseMs > 0) await pause(pauseMs);
  }
  return times;
};

const betweenMs = 5;
const memoryEveryMs = 200;

/** Does the work while another caller asks again and again, and looks at the service's memory. */
const observed = async (service: OwnService, beside: Call, work: () => Promise<unknown>) => {
  const other = openConnections(service.address, 1);
  const waits: number[] = [];
  let [isDone, mostMiB] = [false, 0];
  const asking = (async () => {
    while (!isDone) {
      const from = performance.now();
      await other.send(beside);
      waits.push(performance.now() - from);
      await pause(betweenMs);
    }
  })();
  const weighing = (async () => {
    while (!isDone) {
      mostMiB = Math.max(mostMiB, (await service.usage()).residentMiB);
      await pause(memoryEveryMs);
    }
  })();
  try {
    await work();
    return { longestWaitMs: quantile(waits, 1), mostMiB };
  } finally {
    isDone = true;
    await Promise.all([asking, weighing]);
    other.close();
  }
};
