import type { BenchRequest } from './connection.ts';
import { canCountInstructions, countInstructions } from './instructions.ts';
import { spellsInTurn, type SpellTimes } from './in-turn.ts';
import { openLoad, type Load } from './load.ts';
import { onOneProcessor } from './one-processor.ts';
import { estimateMedianOfGroups, medianOf, type MedianEstimate } from './statistics.ts';
import type { Subject } from './subject.ts';

/** What is measured of one subject: one kind of request. */
export interface Runner {
  readonly subject: Subject;
  readonly request: BenchRequest;
  readonly callers: number;
}

/** Of a reading. Two processes of the same code differ by some percent, as long as they run: so there are several. */
export const spellTimes = (quick: boolean): SpellTimes & { readonly processes: number } =>
  quick ? { processes: 2, rounds: 8, spellMs: 120 } : { processes: 5, rounds: 18, spellMs: 200 };

/** What the spells of one subject say, each a median of its spells unless its name says otherwise. */
export interface SpellFigures {
  readonly cpuMicroseconds: number;
  readonly requestsPerSecond: number;
  /** Of all the spells' time. */
  readonly gcShare: number;
  /** The longest in any spell. */
  readonly longestDelayMs: number;
  readonly spells: readonly Spell[];
}

interface Spell {
  readonly cpuNsPerRequest: number;
  /** What is compared: instructions where the machine counts them, else CPU time. */
  readonly costPerRequest: number;
  readonly requests: number;
  readonly ms: number;
  readonly gcMs: number;
  readonly longestDelayMs: number;
}

/** Measures the subjects in turn. */
export const measureInTurn = (runners: readonly Runner[], times: SpellTimes): Promise<readonly SpellFigures[]> =>
  onOneProcessor(
    runners.map(({ subject }) => subject.pid),
    () => runInTurn(runners, times),
  );

const runInTurn = async (runners: readonly Runner[], times: SpellTimes): Promise<readonly SpellFigures[]> => {
  const loads: Load[] = [];
  const subjects: (() => Promise<Spell>)[] = [];
  try {
    for (const { subject, request, callers } of runners) {
      const load = await openLoad(subject.address, request, callers);
      loads.push(load);
      subjects.push(() => runSpell(subject, load, times.spellMs));
    }
    const spells = await spellsInTurn(subjects, times);
    return spells.map(figuresOf);
  } finally {
    for (const load of loads) load.close();
  }
};

/** How many times as much one takes as the other, pair by pair. */
export const pairedRatios = (
  measured: Pick<SpellFigures, 'spells'>,
  unit: Pick<SpellFigures, 'spells'>,
): readonly number[] =>
  measured.spells.map(({ costPerRequest }, at) => costPerRequest / (unit.spells[at]?.costPerRequest ?? Number.NaN));

const countsInstructions = canCountInstructions();

/** What costs are made of. */
export const costUnit = countsInstructions ? 'instructions' : 'CPU time';

const runSpell = async (subject: Subject, load: Load, spellMs: number): Promise<Spell> => {
  let [requests, ms] = [0, 0];
  const work = async (): Promise<void> => void ({ requests, ms } = await load.run(spellMs));
  await subject.ask('begin');
  const before = await subject.cpuNs();
  const instructions = countsInstructions ? await countInstructions(subject.pid, work) : await work();
  const cpuNs = (await subject.cpuNs()) - before;
  const { gcMs, longestDelayMs } = await subject.ask('read');
  const costPerRequest = (instructions ?? cpuNs) / requests;
  return { cpuNsPerRequest: cpuNs / requests, costPerRequest, requests, ms, gcMs, longestDelayMs };
};

/** The same of several processes, each beside the one that was measured in turn with it. */
export const ratioOf = (measured: readonly SpellFigures[], units: readonly SpellFigures[]): MedianEstimate =>
  estimateMedianOfGroups(measured.map((figures, at) => pairedRatios(figures, units[at] ?? figures)));

/** All spells of several processes. */
export const togetherOf = (figures: readonly SpellFigures[]): SpellFigures =>
  figuresOf(figures.flatMap(({ spells }) => spells));

const figuresOf = (spells: readonly Spell[]): SpellFigures => ({
  cpuMicroseconds: medianOf(spells.map(({ cpuNsPerRequest }) => cpuNsPerRequest / 1_000)),
  requestsPerSecond: medianOf(spells.map(({ requests, ms }) => (requests / ms) * 1_000)),
  gcShare: sumOf(spells, 'gcMs') / sumOf(spells, 'ms'),
  longestDelayMs: Math.max(...spells.map(({ longestDelayMs }) => longestDelayMs)),
  spells,
});

const sumOf = (spells: readonly Spell[], figure: 'gcMs' | 'ms'): number =>
  spells.reduce((sum, spell) => sum + spell[figure], 0);
