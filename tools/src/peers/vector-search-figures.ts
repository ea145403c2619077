import { performance } from 'node:perf_hooks';
import { estimateMedian, medianOf, quantile } from '../bench/statistics.ts';
import { recallOf, scoresOf } from './exact.ts';
import { limit, openPortico, openSqliteVec, type SearchWay } from './search-ways.ts';
import type { CaseFigures, SearchTask } from './vector-search.ts';
import { openVectors } from './vectors.ts';

/** Measures in a process of its own, so that nothing else is in its memory, and prints the figures as JSON. */
const { installed, data, sizes, quick } = JSON.parse(process.argv[2] ?? '') as SearchTask;
const [rounds, queriesPerSpell, leastSpellMs] = quick ? [4, 4, 30] : [12, 8, 60];
const note = (text: string): void => void process.stderr.write(`${text}\n`);

interface Spell {
  /** Of each search. */
  readonly ms: readonly number[];
  readonly cpuMs: number;
}

/** At least so many searches, and for at least so long; one before, which is not counted. */
const runSpell = async (way: SearchWay, queries: readonly Float32Array[]): Promise<Spell> => {
  const ask = (at: number) => way.search(queries[at % queries.length] as Float32Array);
  await ask(0);
  const ms: number[] = [];
  const cpu = process.cpuUsage();
  for (const start = performance.now(); ms.length < queries.length || performance.now() - start < leastSpellMs;) {
    const from = performance.now();
    await ask(ms.length);
    ms.push(performance.now() - from);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1_000 / ms.length };
};

const measureCase = async (
  ways: readonly SearchWay[],
  rows: number,
  visible: readonly number[],
  queries: readonly Float32Array[],
  scores: readonly Float64Array[],
): Promise<CaseFigures> => {
  const recalls: number[] = [];
  for (const way of ways) {
    let sum = 0;
    for (const [at, query] of queries.entries())
      sum += recallOf(await way.search(query), visible, scores[at] as Float64Array, limit);
    recalls.push(sum / queries.length);
  }
  const spells = ways.map((): Spell[] => []);
  for (let round = 0; round < rounds; round++) {
    const asked = queries.slice(round * queriesPerSpell, (round + 1) * queriesPerSpell);
    const turns = [...ways.entries()];
    for (const [at, way] of round % 2 ? turns.toReversed() : turns) spells[at]?.push(await runSpell(way, asked));
  }
  const medians = spells.map((own) => own.map(({ ms }) => medianOf(ms)));
  const figures = ways.map(({ name }, at) => {
    const all = Float64Array.from((spells[at] ?? []).flatMap(({ ms }) => ms)).sort();
    const paired = (medians[at] ?? []).map((median, round) => median / (medians[0]?.[round] ?? Number.NaN));
    return {
      name,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      cpuMs: medianOf((spells[at] ?? []).map(({ cpuMs }) => cpuMs)),
      recall: recalls[at] ?? Number.NaN,
      timesPortico: at === 0 ? null : estimateMedian(paired),
    };
  });
  return { rows, visible: visible.length, ways: figures };
};

note('embedding');
const vectors = await openVectors(data, Math.max(...sizes), rounds * queriesPerSpell);
note('comparing all of them exactly');
const scores = vectors.queries.map((query) => scoresOf(query, vectors.rows));
const cases: CaseFigures[] = [];
for (const size of sizes) {
  const rows = vectors.rows.slice(0, size);
  note(`${size} rows: filling`);
  const portico = openPortico(rows);
  const sqliteVec = openSqliteVec(installed, rows);
  for (const step of [1, 10, 100]) {
    const visible = Array.from({ length: size / step }, (_, at) => at * step);
    note(`${size} rows, ${visible.length} visible`);
    const ways = [...portico(visible), ...sqliteVec.among(visible)];
    cases.push(await measureCase(ways, size, visible, vectors.queries, scores));
  }
  sqliteVec.close();
}
process.stdout.write(JSON.stringify({ source: vectors.source, queries: vectors.queries.length, cases }));
