import { servingEmbedder, type Ports } from '@portico/domain';
import type { IndexUpkeep } from './parts.ts';

/** A vector index outside this process. */
export interface RemoteIndex {
  /**
   * Syncs the index with the database in the background, for searches with this model or, if null, with the current
   * one.
   */
  prepare(modelId: string | null): Promise<void>;
  /** Rebuilds the index from the database while the old one still serves searches. */
  rebuild(onProgress: (written: number, total: number) => void): Promise<IndexRebuild>;
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
  const findSearchModel = async (serving: string | null): Promise<string> =>
    (await servingEmbedder(ports, serving)).modelId();
  return {
    async prepare(modelId) {
      const { serving, epochs } = await ports.models.state();
      upkeep.prepare(modelId ?? (await findSearchModel(serving)), epochs.embeddings);
    },
    async rebuild(onProgress) {
      const model = await findSearchModel((await ports.models.state()).serving);
      const total = await ports.embeddings.embedded(model);
      let vectors = 0;
      await upkeep.rebuild(model, (written) => {
        vectors = written;
        onProgress(written, total);
      });
      return { model, vectors };
    },
  };
};
