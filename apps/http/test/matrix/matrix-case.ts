import type { Route } from '../../src/route.ts';
import type { Reply } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** Adds an answer to the transcript. Skips endpoints of the local issuer, which not every composition has. */
export type Tell = (
  reply: Reply,
  endpoint?: Pick<Endpoint, 'volatile' | 'ofComposition'> & Pick<Route, 'ofLocalIssuer'>,
) => void;

/** A test that a service of any composition passes, at any time and in any order. */
export interface MatrixCase {
  /** A sentence; unique. */
  readonly name: string;
  /** The combinations that it is a sample of; one that names none belongs to every sample. */
  readonly covers?: readonly string[];
  readonly run: (world: World, tell: Tell) => Promise<void>;
}

/** The same list from another place on, so that a sample takes other callers for each endpoint. */
export const startingAt = <T>(at: number, list: readonly T[]): readonly T[] => [
  ...list.slice(at % list.length),
  ...list.slice(0, at % list.length),
];

/** Keeps a case if it covers a combination that none before it covers. */
export const sampleOf = (cases: readonly MatrixCase[]): readonly MatrixCase[] => {
  const covered = new Set<string>();
  return cases.filter(({ covers }) => {
    const isNew = covers === undefined || covers.some((combination) => !covered.has(combination));
    for (const combination of covers ?? []) covered.add(combination);
    return isNew;
  });
};
