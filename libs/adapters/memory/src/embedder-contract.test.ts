import {
  changeableEmbedderContract,
  embedderContract,
  interruptibleEmbedderContract,
  refusingEmbedderContract,
} from '@portico/contracts';
import type { ChangeableEmbedder, InterruptibleEmbedder, RefusingEmbedder, Sabotages } from '@portico/contracts';
import { embeddingDimension, PorticoError } from '@portico/domain';
import type { Embedder, EmbeddingPurpose } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryEmbedder } from './memory-embedder.ts';

/** The vectors of `embed`, to be spoilt; the id that comes with them stays. */
type Embed = (texts: readonly string[], purpose: EmbeddingPurpose) => Promise<readonly Float32Array[]>;

const spoil =
  (change: (embed: Embed) => Embed) =>
  (embedder: Embedder): Embedder => ({
    ...embedder,
    embed: async (...asked) => ({
      modelId: await embedder.modelId(),
      vectors: await change(async (...args) => (await embedder.embed(...args)).vectors)(...asked),
    }),
  });

const axis = (): Float32Array => new Float32Array(embeddingDimension).fill(1, 0, 1);

const embedderSabotages: Sabotages<typeof embedderContract, Embedder> = {
  'a vector has 768 finite numbers and the length 1': spoil(
    (embed) => async (texts, purpose) => (await embed(texts, purpose)).map((vector) => vector.map((x) => x * 1.001)),
  ),
  'a text without any known feature still gets a vector of length 1': spoil(
    (embed) => async (texts, purpose) =>
      (await embed(texts, purpose)).map((vector, i) => (/[a-z]/.test(texts[i] ?? '') ? vector : vector.fill(0))),
  ),
  'there is one vector a text, in the order of the texts': spoil(
    (embed) => async (texts, purpose) => (await embed(texts, purpose)).toReversed(),
  ),
  'a text has the same vector whatever else is in the batch': spoil(
    (embed) => async (texts, purpose) =>
      (await embed(texts, purpose)).map((vector) => (texts.length > 20 ? axis() : vector)),
  ),
  'a vector belongs to the caller: what is done to it changes no later one': (embedder) => {
    const kept = new Map<string, Float32Array>();
    return spoil((embed) => async (texts, purpose) => {
      const vectors = await embed(texts, purpose);
      texts.forEach((text, i) => kept.set(text, kept.get(text) ?? vectors[i] ?? axis()));
      return texts.map((text) => kept.get(text) ?? axis());
    })(embedder);
  },
  'no texts give no vectors': spoil(
    (embed) => async (texts, purpose) => (texts.length ? embed(texts, purpose) : [axis()]),
  ),
  'a query is nearer to the document that shares its words': spoil(() => async (texts) => texts.map(axis)),
  'the model has a name, which stays the same': (embedder) => {
    let asked = 0;
    return { ...embedder, modelId: async () => `memory-${(asked += 1)}` };
  },
  'vectors come with the id of the model that made them': (embedder) => ({
    ...embedder,
    embed: async (...asked) => ({ ...(await embedder.embed(...asked)), modelId: 'another' }),
  }),
  'its check is fulfilled while it can embed': (embedder) => ({
    ...embedder,
    check: () => Promise.reject(new Error('no reason')),
  }),
};

for (const [sentence, check] of Object.entries(embedderContract)) {
  const sabotage = embedderSabotages[sentence as keyof typeof embedderContract];
  test(sentence, () => check(createMemoryEmbedder()));
  test(`it is caught where this is broken: ${sentence}`, async () => {
    await expect(check(sabotage(createMemoryEmbedder()))).rejects.toThrow();
  });
}

const createInterruptible = (): InterruptibleEmbedder => {
  const embedder = createMemoryEmbedder();
  return { embedder, interrupt: () => embedder.interrupt(), resume: () => embedder.resume() };
};

const interruptibleSabotages: Sabotages<typeof interruptibleEmbedderContract, InterruptibleEmbedder> = {
  'it raises embedding_unavailable while it cannot embed, and works again afterwards': (subject) => ({
    ...subject,
    embedder: spoil((embed) => async (texts, purpose) => embed(texts, purpose).catch(() => texts.map(axis)))(
      subject.embedder,
    ),
  }),
  'its check rejects with embedding_unavailable while it cannot embed, and is fulfilled again afterwards': (
    subject,
  ) => ({ ...subject, embedder: { ...subject.embedder, check: async () => undefined } }),
};

for (const [sentence, check] of Object.entries(interruptibleEmbedderContract)) {
  const sabotage = interruptibleSabotages[sentence as keyof typeof interruptibleEmbedderContract];
  test(sentence, () => check(createInterruptible()));
  test(`it is caught where this is broken: ${sentence}`, async () => {
    await expect(check(sabotage(createInterruptible()))).rejects.toThrow();
  });
}

const createChangeable = (): ChangeableEmbedder => {
  const embedder = createMemoryEmbedder();
  return { embedder, change: () => embedder.change() };
};

/** The id is one that was remembered, whatever made the vectors. */
const remembering = (subject: ChangeableEmbedder): ChangeableEmbedder => {
  let remembered: string | null = null;
  const modelId = async () => (remembered ??= await subject.embedder.modelId());
  const embed: Embedder['embed'] = async (...asked) => {
    const { vectors } = await subject.embedder.embed(...asked);
    return { modelId: await modelId(), vectors };
  };
  return { ...subject, embedder: { ...subject.embedder, modelId, embed } };
};

const changeableSabotages: Sabotages<typeof changeableEmbedderContract, ChangeableEmbedder> = {
  'vectors of a model that changed come with another id, at once': remembering,
  'the model has another name once a vector of the changed one was answered': (subject) => {
    const before = subject.embedder.modelId();
    return { ...subject, embedder: { ...subject.embedder, modelId: () => before } };
  },
};

describe('a model that changes', () => {
  proveContract(changeableEmbedderContract, changeableSabotages, createChangeable);
});

const createRefusing = (): RefusingEmbedder => {
  const embedder = createMemoryEmbedder();
  return { embedder, refuse: (text) => embedder.refuse(text) };
};

const refusingSabotages: Sabotages<typeof refusingEmbedderContract, RefusingEmbedder> = {
  'a document that no later try would embed raises a TextRefusedError without a part of it, while others are embedded':
    ({ embedder, refuse }) => ({
      refuse,
      embedder: spoil(
        (embed) => async (texts, purpose) =>
          embed(texts, purpose).catch(() => Promise.reject(new PorticoError('embedding_unavailable'))),
      )(embedder),
    }),
};

describe('a document that cannot be embedded', () => {
  proveContract(refusingEmbedderContract, refusingSabotages, createRefusing);
});
