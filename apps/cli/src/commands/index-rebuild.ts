import type { Portico } from '@portico/composition';
import { createProgress, type Progress } from '../progress.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

/** Makes the index in Qdrant anew from the database, and says how far it is. */
export const rebuildIndex = async ({ remoteIndex }: Portico, terminal: Terminal): Promise<void> => {
  if (!remoteIndex) {
    throw new OperatorError(
      'QDRANT_URL is not set: the index is within the service, which makes it anew at each start',
    );
  }
  let progress: Progress | null = null;
  try {
    const rebuilt = await remoteIndex.rebuild((written, total) => {
      progress ??= createProgress('Writing vectors', total);
      progress.advanceTo(written);
    });
    terminal.result(rebuilt, [`The index was made anew with ${rebuilt.vectors} vectors.`]);
  } finally {
    (progress as Progress | null)?.end();
  }
};
