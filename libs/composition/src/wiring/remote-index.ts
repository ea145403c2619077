import type { Ports } from '@portico/domain';
import type { IndexUpkeep } from './parts.ts';

/** A vector index outside this process. */
export interface RemoteIndex {
  /** Compares it with the database in the background, so that the first search finds it ready. */
  prepare(): Promise<void>;
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
  { embedder, embeddings }: Pick<Ports, 'embedder' | 'embeddings'>,
): RemoteIndex => ({
  prepare: async () => upkeep.prepare(await embedder.modelId()),
  async rebuild(onProgress) {
    const model = await embedder.modelId();
    const total = await embeddings.embedded(model);
    let vectors = 0;
    await upkeep.rebuild(model, (written) => {
      vectors = written;
      onProgress(written, total);
    });
    return { model, vectors };
  },
});
