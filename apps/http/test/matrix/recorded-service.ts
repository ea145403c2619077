import { afterAll } from 'vitest';
import type { MatrixCase, Tell } from './matrix-case.ts';
import type { StartMatrixService } from './matrix-service.ts';
import { lineOf, type Line } from './transcript.ts';
import { createWorld, type World } from './world.ts';

/** A service that runs each case at most once and remembers its answers. */
export interface RecordedService {
  readonly world: () => Promise<World>;
  /** Runs the case, unless it has run. Throws what the case throws. */
  readonly linesOf: (one: MatrixCase) => Promise<readonly Line[]>;
}

/** Starts the service with the first case, and closes it at the end of the test file. */
export const recordedService = (start: StartMatrixService): RecordedService => {
  let started: Promise<World> | null = null;
  const transcript = new Map<MatrixCase, Promise<readonly Line[]>>();
  const world = () => (started ??= start().then(createWorld));
  const run = async ({ run }: MatrixCase): Promise<readonly Line[]> => {
    const lines: Line[] = [];
    const own = await world();
    const tell: Tell = (reply, endpoint = {}) => {
      if (!endpoint.ofLocalIssuer) lines.push(lineOf(reply, own, endpoint));
    };
    await run(own, tell);
    return lines;
  };
  afterAll(async () => (await started)?.close());
  return {
    world,
    linesOf: (one) => {
      const lines = transcript.get(one) ?? run(one);
      transcript.set(one, lines);
      return lines;
    },
  };
};
