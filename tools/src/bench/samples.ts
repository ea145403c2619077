import { medianOf } from './statistics.ts';

export interface SampleTimes {
  /** The number of samples that count for each server. */
  readonly rounds: number;
  readonly sampleMs: number;
}

/**
 * Takes samples of several servers, each the cost of a request, in the order A B B A, so that the machine's drift
 * affects all of them equally. Returns the last `rounds` of each, which start once every server has been warm. Servers
 * that are warm earlier are still sampled: if bare Express were idle in the meantime, it would cost up to half as much
 * again for a second.
 */
export const takeInterleavedSamples = async (
  servers: readonly (() => Promise<number>)[],
  { rounds, sampleMs }: SampleTimes,
): Promise<readonly (readonly number[])[]> => {
  const sampledServers = servers.map((sample) => ({ sample, costs: [] as number[], hasBeenWarm: false }));
  let countedRounds = 0;
  for (let round = 0; countedRounds < rounds; round += 1) {
    if (sampledServers.every(({ hasBeenWarm }) => hasBeenWarm)) countedRounds += 1;
    for (const server of round % 2 ? sampledServers.toReversed() : sampledServers) {
      server.costs.push(await server.sample());
      server.hasBeenWarm ||= isWarm(server.costs, sampleMs);
    }
  }
  return sampledServers.map(({ costs }) => costs.slice(-rounds));
};

/** V8 keeps compiling for about six seconds. During this time, spans of less than a second agree by chance. */
const spanMs = 2_000;
const warmTolerance = 0.03;
/** After this time, all samples count, because some machines are never quiet. */
const warmUpMsMax = 15_000;

/** Returns whether the last span of samples has the same cost as the one before it. */
export const isWarm = (costs: readonly number[], sampleMs: number): boolean => {
  if (costs.length * sampleMs >= warmUpMsMax) return true;
  const span = Math.ceil(spanMs / sampleMs);
  if (costs.length < 2 * span) return false;
  return Math.abs(medianOf(costs.slice(-span)) / medianOf(costs.slice(-2 * span, -span)) - 1) < warmTolerance;
};
