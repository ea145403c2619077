import { embeddingDimension, type Ports } from '../ports/index.ts';

export type PartState = { readonly status: 'ok' } | { readonly status: 'unavailable' };

export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly essential: boolean; readonly state: PartState }[];
}

/** Whether the service can answer: every essential dependency works. Says nothing of addresses or causes. */
export const readReadiness =
  ({ probes }: Pick<Ports, 'probes'>) =>
  async (): Promise<Readiness> => {
    const parts = await Promise.all(
      probes.map(async (probe) => ({
        name: probe.name,
        essential: probe.essential,
        state: await stateOf(() => probe.check()),
      })),
    );
    return { ready: parts.every((part) => part.state.status === 'ok' || !part.essential), parts };
  };

export interface VectorHealth {
  readonly healthy: boolean;
  readonly embedder: PartState & { readonly model: string | null };
  readonly index: PartState & { readonly kind: string };
  readonly dimension: number;
}

/** Whether search works: the embedder embeds and the index answers. */
export const readVectorHealth =
  ({ embedder, vectors }: Pick<Ports, 'embedder' | 'vectors'>) =>
  async (): Promise<VectorHealth> => {
    const [embedding, index] = await Promise.all([stateOf(() => embedder.check()), stateOf(() => vectors.check())]);
    const model = embedding.status === 'ok' ? await embedder.modelId() : null;
    return {
      healthy: embedding.status === 'ok' && index.status === 'ok',
      embedder: { ...embedding, model },
      index: { ...index, kind: vectors.kind },
      dimension: embeddingDimension,
    };
  };

/** A check that fails is the answer here, not an error; the probe itself logs why. */
const stateOf = async (check: () => Promise<void>): Promise<PartState> => {
  try {
    await check();
    return { status: 'ok' };
  } catch {
    return { status: 'unavailable' };
  }
};
