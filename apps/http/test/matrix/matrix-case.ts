import type { Route } from '../../src/route.ts';
import type { Reply } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/**
 * Adds a response to the transcript. Skips the local issuer's endpoints, because not every composition has a local
 * issuer.
 */
export type RecordReply = (
  reply: Reply,
  endpoint?: Pick<Endpoint, 'volatileFields' | 'dependsOnComposition'> & Pick<Route, 'requiresLocalIssuer'>,
) => void;

/** A test that passes on every composition of the service, at any time and in any order. */
export interface MatrixCase {
  /** A unique sentence. */
  readonly name: string;
  /** The combinations that the case covers. A case without `covers` is part of every sample. */
  readonly covers?: readonly string[];
  readonly run: (world: World, record: RecordReply) => Promise<void>;
}

/**
 * Rotates a list so that it starts at the index `start`. As a result, a sample has different callers for each endpoint.
 */
export const rotateList = <T>(start: number, list: readonly T[]): readonly T[] => [
  ...list.slice(start % list.length),
  ...list.slice(0, start % list.length),
];

/** Selects the cases that cover at least one combination that no earlier case covers. */
export const sampleOf = (cases: readonly MatrixCase[]): readonly MatrixCase[] => {
  const coveredNames = new Set<string>();
  return cases.filter(({ covers }) => {
    const isNew = covers === undefined || covers.some((combination) => !coveredNames.has(combination));
    for (const combination of covers ?? []) coveredNames.add(combination);
    return isNew;
  });
};
