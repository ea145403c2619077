import { afterAll } from 'vitest';
import type { MatrixCase, RecordReply } from './matrix-case.ts';
import type { StartMatrixService } from './matrix-service.ts';
import { lineOf, type Line } from './transcript.ts';
import { createWorld, type World } from './world.ts';

/** A service that runs each case at most once and records its responses. */
export interface RecordedService {
  readonly getWorld: () => Promise<World>;
  /** Runs the case unless it has already run. Throws if the case throws. */
  readonly linesOf: (matrixCase: MatrixCase) => Promise<readonly Line[]>;
}

/** Starts the service when the first case runs, and closes it at the end of the test file. */
export const createRecordedService = (start: StartMatrixService): RecordedService => {
  let startedWorld: Promise<World> | null = null;
  const transcript = new Map<MatrixCase, Promise<readonly Line[]>>();
  const getWorld = () => (startedWorld ??= start().then(createWorld));
  const run = async ({ run }: MatrixCase): Promise<readonly Line[]> => {
    const lines: Line[] = [];
    const currentWorld = await getWorld();
    const record: RecordReply = (reply, endpoint = {}) => {
      if (!endpoint.requiresLocalIssuer) lines.push(lineOf(reply, currentWorld, endpoint));
    };
    await run(currentWorld, record);
    return lines;
  };
  afterAll(async () => (await startedWorld)?.close());
  return {
    getWorld,
    linesOf: (matrixCase) => {
      const lines = transcript.get(matrixCase) ?? run(matrixCase);
      transcript.set(matrixCase, lines);
      return lines;
    },
  };
};
