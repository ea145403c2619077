import { PorticoError, TextRefusedError, type Embedder } from '@portico/domain';

/** An embedder with switches, for testing failures and model changes. */
export interface SwitchedEmbedder extends Embedder {
  /** Makes all further calls throw `embedding_unavailable`. */
  interrupt(): void;
  /** Ends the interruption. */
  resume(): void;
  /** Switches to a different model. */
  change(): void;
  /** Makes the embedder refuse this document from now on. */
  refuse(text: string): void;
}

export const createSwitchedEmbedder = (embedder: Embedder): SwitchedEmbedder => {
  let interrupted = false;
  let version = 1;
  const refused = new Set<string>();
  const assertAvailable = (): void => {
    if (interrupted) throw new PorticoError('embedding_unavailable');
  };
  const modelId = async (): Promise<string> => `${await embedder.modelId()}/${version}`;
  return {
    modelId,
    async embed(texts, purpose) {
      assertAvailable();
      if (purpose === 'document' && texts.some((text) => refused.has(text)))
        throw new TextRefusedError('The embedder is set to refuse this text');
      return { ...(await embedder.embed(texts, purpose)), modelId: await modelId() };
    },
    async check() {
      assertAvailable();
      await embedder.check();
    },
    interrupt() {
      interrupted = true;
    },
    resume() {
      interrupted = false;
    },
    change() {
      version += 1;
    },
    refuse(text) {
      refused.add(text);
    },
  };
};
