import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { createWordVectorEmbedder } from '@portico/word-vectors';

/**
 * Measures the built-in embedder in a process of its own (`--expose-gc`), and prints the figures as JSON: what loading
 * takes and how long it holds the event loop, what it keeps in memory, and the median of a text in microseconds.
 */
const queries = [
  'take money from a shopper',
  'will it rain tomorrow in the city I travel to',
  'send a text message',
  'wether forcast',
  'find out which colleagues are on vacation next week',
  'smallbusiness acounting softwear',
];
const sentence =
  'Creates invoices, charges credit cards, refunds customers and pays out to bank accounts in 40 countries. ';
const thousand = sentence.repeat(10).slice(0, 1_000);

const collect = globalThis.gc;
if (!collect) throw new Error('The memory is measured with --expose-gc');
const memory = () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const embedder = createWordVectorEmbedder();
await setTimeout(50);
const before = memory();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const started = performance.now();
await embedder.check();
const loadMs = performance.now() - started;
await setTimeout(5);
delay.disable();
const kept = memory() - before;

/** The embedder's median over rounds of these texts, for one text; each round starts with texts that it has not met. */
const medianMicroseconds = async (texts: readonly string[], rounds: number): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const own = texts.map((text) => `${text} ${round}`);
    const from = performance.now();
    await embedder.embed(own, 'query');
    times.push(((performance.now() - from) * 1_000) / own.length);
  }
  return times.sort((x, y) => x - y)[Math.floor(times.length / 2)] ?? Number.NaN;
};
await medianMicroseconds(queries, 500);

console.log(
  JSON.stringify({
    loadMs,
    // The histogram counts the timer's own resolution of 1 ms.
    longestHoldMs: delay.max / 1e6 - 1,
    memoryMiB: kept / 2 ** 20,
    queryMicroseconds: await medianMicroseconds(queries, 2_000),
    thousandCharactersMicroseconds: await medianMicroseconds([thousand], 1_000),
  }),
);
