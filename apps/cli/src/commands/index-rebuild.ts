import type { Portico } from '@portico/composition';
import { createProgress } from '../progress.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

/** Makes the index in Qdrant anew from the database, and says how far it is. */
export const rebuildIndex = async ({ indexUpkeep, ports }: Portico, terminal: Terminal): Promise<void> => {
  if (!indexUpkeep) {
    throw new OperatorError(
      'QDRANT_URL is not set: the index is within the service, which makes it anew at each start',
    );
  }
  const modelId = await ports.embedder.modelId();
  const progress = createProgress('Writing vectors', await ports.embeddings.embedded(modelId));
  let vectors = 0;
  try {
    await indexUpkeep.rebuild(modelId, (written) => {
      vectors = written;
      progress.advanceTo(written);
    });
  } finally {
    progress.end();
  }
  terminal.result({ model: modelId, vectors }, [`The index was made anew with ${vectors} vectors.`]);
};
