import { findServingEmbedder, type Ports } from '@portico/domain';
import type { IndexUpkeep } from './parts.ts';

/** A vector index outside this process. */
export interface RemoteIndex {
  /**
   * Syncs the index with the database in the background, for searches with this model or, if null, with the current
   * one.
   */
  prepare(modelId: string | null): Promise<void>;
  /** Rebuilds the index from the database while the old one still serves searches. */
  rebuild(onProgress: (writtenVectors: number, total: number) => void): Promise<IndexRebuild>;
}

export interface IndexRebuild {
  readonly model: string;
  /** The number of vectors written. */
  readonly vectors: number;
}

export const createRemoteIndex = (
  upkeep: IndexUpkeep,
  ports: Pick<Ports, 'embedder' | 'earlierEmbedders' | 'embeddings' | 'models'>,
): RemoteIndex => {
  const findSearchModel = async (servingModel: string | null): Promise<string> =>
    (await findServingEmbedder(ports, servingModel)).getModelId();
  return {
    async prepare(modelId) {
      const { serving, epochs } = await ports.models.readState();
      upkeep.prepare(modelId ?? (await findSearchModel(serving)), epochs.embeddings);
    },
    async rebuild(onProgress) {
      const model = await findSearchModel((await ports.models.readState()).serving);
      const total = await ports.embeddings.countEmbedded(model);
      let vectors = 0;
      await upkeep.rebuild(model, (writtenVectors) => {
        vectors = writtenVectors;
        onProgress(writtenVectors, total);
      });
      return { model, vectors };
    },
  };
};
