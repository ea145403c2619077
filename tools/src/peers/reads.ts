import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBareExpress } from '../bench/bare-express.ts';
import { openLoad } from '../bench/load.ts';
import { measureInTurn, pairedRatios } from '../bench/spells.ts';
import { estimateMedian } from '../bench/statistics.ts';
import type { MedianEstimate } from '../bench/statistics.ts';
import { directus } from './directus.ts';
import { install } from './packages.ts';
import { readNames, type Peer, type ReadName, type ReadWay, type Rows } from './peer.ts';
import { startPortico } from './portico.ts';
import { checkAnswer } from './same-answer.ts';
import { strapi } from './strapi.ts';

export const catalogPeers = { directus, strapi };

export interface WayFigures {
  readonly name: string;
  readonly microseconds: number;
  readonly requestsPerSecond: number;
  readonly timesBare: MedianEstimate;
  /** Times what Portico takes for the same read; null for Portico and bare Express. */
  readonly timesPortico: MedianEstimate | null;
}

export interface PeerFigures {
  readonly name: string;
  readonly version: string;
  readonly settings: readonly string[];
  readonly reads: readonly { readonly read: ReadName; readonly ways: readonly WayFigures[] }[];
}

const callers = 8;

/** Measures Portico, bare Express and the peer in turn; `note` is told what is under way. */
export const measurePeer = async (
  peer: Peer,
  folders: { readonly installed: string; readonly data: string },
  quick: boolean,
  note: (text: string) => void,
): Promise<PeerFigures> => {
  const ends: (() => Promise<void>)[] = [];
  try {
    note(`${peer.name} ${peer.version}: installing`);
    await install(folders.installed, peer.packages);
    for (const folder of ['portico', 'peer']) mkdirSync(join(folders.data, folder), { recursive: true });
    note('Portico: starting, being filled');
    const portico = await startPortico(join(folders.data, 'portico'));
    ends.push(portico.end);
    note(`${peer.name}: starting, being filled`);
    const running = await peer.start(folders.installed, join(folders.data, 'peer'), portico.rows);
    ends.push(running.end);
    const bare = await startBareExpress(folders.data);
    ends.push(bare.end);
    const unit: ReadWay = { name: 'bare Express', subject: bare, request: { path: '/' } };
    const reads: PeerFigures['reads'][number][] = [];
    for (const read of readNames) {
      note(`${peer.name}: ${read}`);
      const [own, theirs] = [portico.waysOf(read), running.waysOf(read)];
      for (const way of [...own, ...theirs]) await checkAnswer(way, read, rowOf(read, portico.rows));
      reads.push({ read, ways: await measureWays(unit, own, theirs, quick) });
    }
    return { name: peer.name, version: peer.version, settings: peer.settings, reads };
  } finally {
    for (const end of ends) await end();
  }
};

const rowOf = (read: ReadName, { small, large }: Rows) =>
  read === 'list of 100' ? null : read === 'collection of 10 KB' ? small : large;

const measureWays = async (
  unit: ReadWay,
  own: readonly ReadWay[],
  theirs: readonly ReadWay[],
  quick: boolean,
): Promise<readonly WayFigures[]> => {
  // A slow server answers few requests in a spell, too few for the compiler to be done with it.
  for (const way of theirs) await compile(way, quick ? 1_000 : 3_000);
  const ways = [unit, ...own, ...theirs];
  const runners = ways.map(({ subject, request }) => ({ subject, request, callers }));
  const times = quick ? { rounds: 6, spellMs: 100 } : { rounds: 10, spellMs: 500 };
  const measured = await measureInTurn(runners, times);
  const [bare, portico] = measured;
  if (!bare || !portico) throw new Error('Nothing was measured');
  return ways.flatMap(({ name }, at) => {
    const figures = measured[at];
    if (!figures) return [];
    return {
      name,
      microseconds: figures.cpuMicroseconds,
      requestsPerSecond: figures.requestsPerSecond,
      timesBare: estimateMedian(pairedRatios(figures, bare)),
      timesPortico: at > own.length ? estimateMedian(pairedRatios(figures, portico)) : null,
    };
  });
};

const compile = async ({ subject, request }: ReadWay, ms: number): Promise<void> => {
  const load = await openLoad(subject.address, request, callers);
  try {
    await load.run(ms);
  } finally {
    load.close();
  }
};
