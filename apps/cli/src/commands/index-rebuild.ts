import type { Portico } from '@portico/composition';
import { createProgress, type Progress } from '../progress.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

/** Rebuilds the index in Qdrant from the database, and shows the progress. */
export const rebuildIndex = async ({ remoteIndex }: Portico, terminal: Terminal): Promise<void> => {
  if (!remoteIndex) {
    throw new OperatorError(
      'QDRANT_URL is not set: the index is inside the service, which rebuilds it at each startup',
    );
  }
  let progress: Progress | null = null;
  try {
    const result = await remoteIndex.rebuild((writtenVectors, total) => {
      progress ??= createProgress(terminal, 'Writing vectors', total);
      progress.advanceTo(writtenVectors);
    });
    terminal.printResult(result, [`The index was rebuilt with ${result.vectors} vectors.`]);
  } finally {
    (progress as Progress | null)?.end();
  }
};
