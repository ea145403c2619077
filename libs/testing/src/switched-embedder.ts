import { PorticoError, TextRejectedError, type Embedder } from '@portico/domain';

/** An embedder with switches, for testing failures and model changes. */
export interface SwitchedEmbedder extends Embedder {
  /** Makes all further calls throw `embedding_unavailable`. */
  interrupt(): void;
  /** Makes calls succeed again. */
  resume(): void;
  /** Switches to a different model. */
  change(): void;
  /** Makes the embedder reject this document from now on. */
  reject(text: string): void;
}

export const createSwitchedEmbedder = (embedder: Embedder): SwitchedEmbedder => {
  let isInterrupted = false;
  let version = 1;
  const rejectedTexts = new Set<string>();
  const assertAvailable = (): void => {
    if (isInterrupted) throw new PorticoError('embedding_unavailable');
  };
  const getModelId = async (): Promise<string> => `${await embedder.getModelId()}/${version}`;
  return {
    getModelId,
    async embed(texts, purpose) {
      assertAvailable();
      if (purpose === 'document' && texts.some((text) => rejectedTexts.has(text)))
        throw new TextRejectedError('The embedder is set to reject this text');
      return { ...(await embedder.embed(texts, purpose)), modelId: await getModelId() };
    },
    async check() {
      assertAvailable();
      await embedder.check();
    },
    interrupt() {
      isInterrupted = true;
    },
    resume() {
      isInterrupted = false;
    },
    change() {
      version += 1;
    },
    reject(text) {
      rejectedTexts.add(text);
    },
  };
};
