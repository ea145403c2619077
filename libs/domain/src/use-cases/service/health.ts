import { isPorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';
import type { Probe } from '../../ports/probe.ts';
import { embeddingDimension } from '../../search/embedding.ts';
import { sharedAnswer } from './shared-answer.ts';

/** The reason is given only if it is one of our own errors, which name neither address nor secret; otherwise null. */
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

const usualKeptMs = 1_000;

/**
 * Checks the dependencies and shares each answer: callers need no credential and may call as often as they like, but
 * cause at most one check a second.
 */
export const watchHealth = ({ probes, embedder, vectors, operationIndex, clock }: HealthPorts) => {
  const share = <State>(keptMs: number, ask: () => Promise<State>) => sharedAnswer(clock, keptMs, ask);
  const embedderState = share(usualKeptMs, () => stateOfEmbedder(embedder));
  const indexState = share(usualKeptMs, () =>
    stateOf(async () => {
      await Promise.all([vectors.check(), operationIndex.check()]);
    }),
  );
  const parts = [
    ...probes.map((probe) =>
      part(
        probe,
        share(probe.keptMs ?? usualKeptMs, () => stateOf(() => probe.check())),
      ),
    ),
    part({ name: 'embedder', essential: false }, embedderState),
    part({ name: 'vector index', essential: false }, indexState),
  ];
  return {
    /** Whether the service can answer: every essential dependency works. */
    async readReadiness(): Promise<Readiness> {
      const states = await Promise.all(parts.map((read) => read()));
      return { ready: states.every(({ essential, state }) => state.status === 'ok' || !essential), parts: states };
    },

    /** Whether search works: the embedder embeds and the index answers. */
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

const part =
  ({ name, essential, inFallback = () => false }: Omit<Probe, 'check'>, ask: () => Promise<PartState>) =>
  async (): Promise<ReadinessPart> => {
    const state = await ask();
    return { name, essential, state, inFallback: inFallback() };
  };

type HealthPorts = Pick<Ports, 'probes' | 'embedder' | 'vectors' | 'operationIndex' | 'clock'>;

const stateOfEmbedder = async (embedder: Ports['embedder']): Promise<VectorHealth['embedder']> => {
  let model: string | null = null;
  const state = await stateOf(async () => {
    await embedder.check();
    model = await embedder.modelId();
  });
  return { ...state, model };
};

/** A failed check is the answer here, not an error; the probe itself logs why. */
const stateOf = async (check: () => Promise<void>): Promise<PartState> => {
  try {
    await check();
    return { status: 'ok' };
  } catch (error) {
    return { status: 'unavailable', reason: isPorticoError(error) ? error.message : null };
  }
};
