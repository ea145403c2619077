import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { MedianEstimate } from '../bench/statistics.ts';
import { root } from '../service-process.ts';
import type { PeerName } from './options.ts';
import type { PeerFigures, WayFigures } from './reads.ts';
import type { CaseFigures, VectorSearchFigures } from './vector-search.ts';

/** Where and when figures were measured. */
interface Measured {
  readonly measuredAt: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
}

/** What was measured of each peer. */
export type PeerReport = Partial<
  Record<Exclude<PeerName, 'sqlite-vec'>, PeerFigures & Measured> & Record<'sqlite-vec', VectorSearchFigures & Measured>
>;

export const measuredHere = (): Measured => ({
  measuredAt: new Date().toISOString(),
  node: process.versions.node,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
});

/** At least this share of the right rows counts as an answer when the fastest way is looked for. */
const recallWanted = 0.99;

/** As Markdown, formatted as the documents of the repository are. */
export const reportOf = async (report: PeerReport): Promise<string> => {
  const { directus, strapi, 'sqlite-vec': vectors } = report;
  const reads = [directus, strapi].flatMap((figures) => (figures ? [readsOf(figures)] : []));
  const text = [head, ...reads, ...(vectors ? [searchOf(vectors)] : [])].join('\n');
  return format(text, { ...(await resolveConfig(join(root, 'README.md'))), parser: 'markdown' });
};

/** Writes `peers.md` and `peers.json`; what was not measured this time stays as it is there. */
export const writeReport = async (folder: string, report: PeerReport): Promise<void> => {
  const file = join(folder, 'peers.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PeerReport) : {};
  const whole = { ...kept, ...report };
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
  writeFileSync(join(folder, 'peers.md'), await reportOf(whole));
};

const head = `# Beside what one could pick instead

Written by \`npm run bench:peers -- --into docs/performance\`, which installs the others, fills them with the same rows, and
checks that they answer the same. CPU is that of the server's whole process for a request, as the kernel counts it:
short spells of all in turn with 8 callers, each a median; in brackets the interval that holds the median of the paired
ratios for 95 % of the resamples. Bare Express answers a small JSON object.

Portico runs as operators run it, on SQLite with NODE_ENV=production: each request is counted by the rate limiter (whose
limit is out of reach), by the metrics and in a line of the log, and is made with an identity token; documents are read
by a client with 1 of 10 collections, the list by one with 100 of 1,000.
`;

const machineOf = ({ measuredAt, node, processor, cores }: Measured): string =>
  `Node ${node}, ${cores} cores of ${processor}, ${measuredAt.slice(0, 10)}.`;

const readsOf = (figures: PeerFigures & Measured): string => {
  const { name, version, settings, reads } = figures;
  const lines = reads.flatMap(({ read, ways }) =>
    ways.map((way) => [
      read,
      way.name,
      way.microseconds.toFixed(way.microseconds < 100 ? 1 : 0),
      way.requestsPerSecond.toFixed(0),
      estimated(way.timesBare),
      way.timesPortico ? estimated(way.timesPortico) : '',
    ]),
  );
  const least = leastOf(reads.flatMap(({ ways }) => ways.filter((way) => !isCached(way))));
  const cached = leastOf(reads.flatMap(({ ways }) => ways.filter(isCached)));
  const sentences = [
    ...(least ? [`${name} takes at least ${times(least)} the CPU of Portico for the same read`] : []),
    ...(cached ? [`answering from its data cache at least ${times(cached)}`] : []),
  ];
  return `## ${name} ${version}

**${sentences.join('; ')}.** ${machineOf(figures)}

${listOf(settings)}

${tableOf(['read', 'by', 'µs of CPU', 'a second', '× bare Express', '× Portico'], 2, lines)}`;
};

const isCached = ({ name }: WayFigures): boolean => name.includes('cache');

const leastOf = (ways: readonly WayFigures[]): number | null => {
  const medians = ways.flatMap(({ timesPortico }) => (timesPortico ? [timesPortico.median] : []));
  return medians.length === 0 ? null : Math.min(...medians);
};

const searchOf = (figures: VectorSearchFigures & Measured): string => {
  const { name, version, settings, source, queries, cases } = figures;
  const lines = cases.flatMap(({ rows, visible, ways }) =>
    ways.map((way) => [
      rows.toLocaleString('en'),
      `${(visible / rows) * 100} %`,
      way.name,
      way.p50Ms.toFixed(3),
      way.p99Ms.toFixed(3),
      way.cpuMs.toFixed(3),
      way.recall.toFixed(4),
      way.timesPortico ? estimated(way.timesPortico) : '',
    ]),
  );
  const best = cases.map((figuresOfCase) => {
    const { rows, visible } = figuresOfCase;
    const fastest = fastestOf(figuresOfCase);
    const said = fastest
      ? `${times(fastest.long)} as long as Portico, ${times(fastest.cpu)} the CPU`
      : 'no way finds enough';
    return `${rows.toLocaleString('en')} rows, ${(visible / rows) * 100} % visible: ${said}`;
  });
  return `## Vector search: ${name} ${version}

The best 10 of vectors with 768 dimensions, by cosine similarity, in one process. Vectors: ${source}; ${queries} queries.
Recall is against the exact order in double precision. On a busy machine long searches are interrupted more often, so
that CPU tells more than time. ${machineOf(figures)}

${listOf(settings)}

**The fastest of its ways that finds ${recallWanted * 100} % takes**

${listOf(best)}

${tableOf(['rows', 'visible', 'by', 'p50 ms', 'p99 ms', 'CPU ms', 'recall@10', '× Portico (p50)'], 3, lines)}`;
};

/** How many times as long as Portico the fastest way of the other takes that finds enough, and how much CPU; or null. */
export const fastestOf = ({
  ways,
}: Pick<CaseFigures, 'ways'>): { readonly long: number; readonly cpu: number } | null => {
  const ratios = ways.flatMap(({ recall, cpuMs, timesPortico }) =>
    timesPortico && recall >= recallWanted
      ? [{ long: timesPortico.median, cpu: cpuMs / (ways[0]?.cpuMs ?? Number.NaN) }]
      : [],
  );
  return ratios.toSorted((x, y) => x.long - y.long)[0] ?? null;
};

const times = (ratio: number): string => `${digits(ratio)} times`;
const digits = (ratio: number): string => ratio.toFixed(ratio < 10 ? 1 : 0);
const estimated = ({ median, low, high }: MedianEstimate): string =>
  `${digits(median)} (${digits(low)}–${digits(high)})`;

const listOf = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** The first `texts` columns are texts, the others numbers. */
const tableOf = (header: readonly string[], texts: number, lines: readonly (readonly string[])[]): string => {
  const rule = header.map((_, at) => (at < texts ? '---' : '---:'));
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
};
