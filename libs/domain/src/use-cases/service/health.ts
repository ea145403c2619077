import { isPorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';
import type { Probe } from '../../ports/probe.ts';
import { embeddingDimension } from '../../search/embedding.ts';
import { shareResult } from './share-result.ts';

/**
 * The state of a dependency. The reason is given only for our own errors, which contain neither an address nor a
 * secret; otherwise it is null.
 */
export type PartState = { readonly status: 'ok' } | { readonly status: 'unavailable'; readonly reason: string | null };

export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly ReadinessPart[];
}

export interface ReadinessPart {
  readonly name: string;
  readonly essential: boolean;
  readonly state: PartState;
  /** Whether this process currently works without the dependency. */
  readonly inFallback: boolean;
}

export interface VectorHealth {
  readonly healthy: boolean;
  /** The model is null while the embedder does not work. */
  readonly embedder: PartState & { readonly model: string | null };
  readonly index: PartState & { readonly kind: string };
  readonly dimension: number;
}

const defaultTtlMs = 1_000;

/**
 * Checks the dependencies and shares each result: callers need no credential, and may call as often as they like, but
 * they cause at most one check per second.
 */
export const watchHealth = ({ probes, embedder, vectors, operationIndex, clock }: HealthPorts) => {
  const shareState = <State>(ttlMs: number, check: () => Promise<State>) => shareResult(clock, ttlMs, check);
  const embedderState = shareState(defaultTtlMs, () => stateOfEmbedder(embedder));
  const indexState = shareState(defaultTtlMs, () =>
    stateOf(async () => {
      await Promise.all([vectors.check(), operationIndex.check()]);
    }),
  );
  const parts = [
    ...probes.map((probe) =>
      createPart(
        probe,
        shareState(probe.resultTtlMs ?? defaultTtlMs, () => stateOf(() => probe.check())),
      ),
    ),
    createPart({ name: 'embedder', essential: false }, embedderState),
    createPart({ name: 'vector index', essential: false }, indexState),
  ];
  return {
    /** Returns whether the service can serve requests, which means that every essential dependency works. */
    async readReadiness(): Promise<Readiness> {
      const readinessParts = await Promise.all(parts.map((readPart) => readPart()));
      return {
        ready: readinessParts.every(({ essential, state }) => state.status === 'ok' || !essential),
        parts: readinessParts,
      };
    },

    /** Returns whether search works, which means that the embedder and the index are available. */
    async readVectorHealth(): Promise<VectorHealth> {
      const [embedding, index] = await Promise.all([embedderState(), indexState()]);
      return {
        healthy: embedding.status === 'ok' && index.status === 'ok',
        embedder: embedding,
        index: { ...index, kind: vectors.kind },
        dimension: embeddingDimension,
      };
    },
  };
};

const createPart =
  ({ name, essential, inFallback = () => false }: Omit<Probe, 'check'>, check: () => Promise<PartState>) =>
  async (): Promise<ReadinessPart> => {
    const state = await check();
    return { name, essential, state, inFallback: inFallback() };
  };

type HealthPorts = Pick<Ports, 'probes' | 'embedder' | 'vectors' | 'operationIndex' | 'clock'>;

const stateOfEmbedder = async (embedder: Ports['embedder']): Promise<VectorHealth['embedder']> => {
  let model: string | null = null;
  const state = await stateOf(async () => {
    await embedder.check();
    model = await embedder.getModelId();
  });
  return { ...state, model };
};

/**
 * Returns the state that a check finds. A failed check is a result here, not an error; the probe itself logs the
 * reason.
 */
const stateOf = async (check: () => Promise<void>): Promise<PartState> => {
  try {
    await check();
    return { status: 'ok' };
  } catch (error) {
    return { status: 'unavailable', reason: isPorticoError(error) ? error.message : null };
  }
};
