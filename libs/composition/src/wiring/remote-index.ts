import { servingEmbedder, type Ports } from '@portico/domain';
import type { IndexUpkeep } from './parts.ts';

/** A vector index outside this process. */
export interface RemoteIndex {
  /** Brings it in line with the database in the background, for searches with this model or, if null, with the present. */
  prepare(modelId: string | null): Promise<void>;
  /** Rebuilds it from the database while the old one still answers. */
  rebuild(onProgress: (written: number, total: number) => void): Promise<IndexRebuild>;
}

export interface IndexRebuild {
  readonly model: string;
  /** How many vectors were written. */
  readonly vectors: number;
}

export const createRemoteIndex = (
  upkeep: IndexUpkeep,
  ports: Pick<Ports, 'embedder' | 'earlierEmbedders' | 'embeddings' | 'models'>,
): RemoteIndex => {
  const searchedModel = async (serving: string | null): Promise<string> =>
    (await servingEmbedder(ports, serving)).modelId();
  return {
    async prepare(modelId) {
      const { serving, epochs } = await ports.models.state();
      upkeep.prepare(modelId ?? (await searchedModel(serving)), epochs.embeddings);
    },
    async rebuild(onProgress) {
      const model = await searchedModel((await ports.models.state()).serving);
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
