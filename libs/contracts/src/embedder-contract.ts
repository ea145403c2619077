import assert from 'node:assert/strict';
import { embeddingDimension, isPorticoError, TextRefusedError } from '@portico/domain';
import type { Embedder, EmbeddingPurpose } from '@portico/domain';
import type { Contract } from './contract.ts';

/** An embedder, and a switch for what it depends on. */
export interface InterruptibleEmbedder {
  readonly embedder: Embedder;
  /** Makes everything that the embedder depends on fail from now on. */
  interrupt(): void;
  /** Ends what `interrupt` started. */
  resume(): void;
}

/** An embedder, and a switch to a version of its model that makes different vectors. */
export interface ChangeableEmbedder {
  readonly embedder: Embedder;
  /** From now on texts are embedded by the other version; the embedder is not told. */
  change(): void;
}

/** An embedder, and a switch for a document that it cannot embed. */
export interface RefusingEmbedder {
  readonly embedder: Embedder;
  /** From now on no attempt embeds this document, of 18,000 UTF-16 units. */
  readonly refuse: (text: string) => void;
}

const purposes: readonly EmbeddingPurpose[] = ['document', 'query'];

const weather = 'Weather API\nForecasts of temperature, rain and wind for any place on earth.';
const payments = 'Payments\nCharge credit cards and pay out to bank accounts.';

/** Texts in which naive code finds no features. */
const featureless = [' ', '\n\t', '.', '…!?', '\u200b', '🙂', '👩‍👩‍👧‍👦', '日本の天気', 'الطقس', '---', 'the', '0'];

const embedOne = async (embedder: Embedder, text: string, purpose: EmbeddingPurpose): Promise<Float32Array> => {
  const { vectors } = await embedder.embed([text], purpose);
  const [vector, ...more] = vectors;
  assert.ok(vector && more.length === 0, 'one text, one vector');
  return vector;
};

const assertUnitVector = (vector: Float32Array | undefined, text: string): void => {
  const said = JSON.stringify(text.slice(0, 40));
  assert.ok(vector instanceof Float32Array, `a vector for ${said}`);
  assert.equal(vector.length, embeddingDimension, `dimensions for ${said}`);
  assert.ok(vector.every(Number.isFinite), `finite numbers for ${said}`);
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  assert.ok(Math.abs(length - 1) < 1e-5, `length ${length} for ${said}`);
};

const cosine = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

export const embedderContract = {
  'a vector has 768 finite numbers and length 1': async (embedder) => {
    for (const purpose of purposes) {
      for (const text of [weather, payments, 'x', 'rain '.repeat(400), `${weather} ${payments} `.repeat(80)]) {
        assertUnitVector(await embedOne(embedder, text, purpose), text);
      }
    }
  },
  'a text without any known feature still gets a vector of length 1': async (embedder) => {
    for (const purpose of purposes) {
      const { vectors } = await embedder.embed(featureless, purpose);
      assert.equal(vectors.length, featureless.length);
      featureless.forEach((text, i) => assertUnitVector(vectors[i], text));
    }
  },
  'there is one vector per text, in the order of the texts': async (embedder) => {
    for (const purpose of purposes) {
      const texts = [payments, weather, payments, ' ', weather];
      const { vectors } = await embedder.embed(texts, purpose);
      assert.equal(vectors.length, texts.length);
      for (const [i, text] of texts.entries()) {
        assert.deepEqual(vectors[i], await embedOne(embedder, text, purpose), `vector ${i}`);
      }
    }
  },
  'a text has the same vector whatever else is in the batch': async (embedder) => {
    for (const purpose of purposes) {
      const alone = await embedOne(embedder, weather, purpose);
      const others = Array.from({ length: 20 }, (_, i) => `${payments} ${i}`);
      assert.deepEqual((await embedder.embed([...others, weather], purpose)).vectors.at(-1), alone);
      assert.deepEqual((await embedder.embed([weather, ...others], purpose)).vectors[0], alone);
      assert.deepEqual(await embedOne(embedder, weather, purpose), alone);
    }
  },
  'a vector belongs to the caller: changing it changes no later one': async (embedder) => {
    for (const text of [weather, ' ']) {
      const first = await embedOne(embedder, text, 'query');
      const kept = first.slice();
      first.fill(0);
      assert.deepEqual(await embedOne(embedder, text, 'query'), kept);
    }
  },
  'no texts give no vectors': async (embedder) => {
    for (const purpose of purposes) {
      assert.deepEqual((await embedder.embed([], purpose)).vectors, []);
    }
  },
  'a query is closer to the document that shares its words': async (embedder) => {
    const query = await embedOne(embedder, 'rain and wind', 'query');
    const { vectors } = await embedder.embed([weather, payments], 'document');
    const [near, far] = vectors;
    assert.ok(near && far && cosine(query, near) > cosine(query, far));
  },
  'the model has an id, which stays the same': async (embedder) => {
    const name = await embedder.modelId();
    assert.match(name, /\S/);
    await embedOne(embedder, weather, 'document');
    assert.equal(await embedder.modelId(), name);
  },
  'vectors come with the id of the model that made them': async (embedder) => {
    for (const purpose of purposes) {
      const { modelId } = await embedder.embed([weather, payments], purpose);
      assert.equal(modelId, await embedder.modelId());
    }
  },
  'its check succeeds while it can embed': async (embedder) => {
    await embedder.check();
  },
} satisfies Contract<Embedder>;

const isUnavailable = (error: unknown): boolean => isPorticoError(error, 'embedding_unavailable');

/** What an embedder that can fail promises in addition. */
export const interruptibleEmbedderContract = {
  'it throws embedding_unavailable while it cannot embed, and works again afterwards': async (subject) => {
    const { embedder } = subject;
    subject.interrupt();
    await assert.rejects(embedder.embed([weather], 'document'), isUnavailable);
    await assert.rejects(embedder.embed([weather], 'query'), isUnavailable);
    subject.resume();
    assertUnitVector(await embedOne(embedder, weather, 'query'), weather);
  },
  'its check rejects with embedding_unavailable while it cannot embed, and succeeds again afterwards': async (
    subject,
  ) => {
    subject.interrupt();
    await assert.rejects(subject.embedder.check(), isUnavailable);
    subject.resume();
    await subject.embedder.check();
  },
} satisfies Contract<InterruptibleEmbedder>;

/** What an embedder whose model can change during use promises in addition. */
export const changeableEmbedderContract = {
  'vectors of a changed model come with a new id at once': async (subject) => {
    const { embedder } = subject;
    for (const purpose of purposes) {
      const before = await embedder.embed([weather], purpose);
      subject.change();
      const after = await embedder.embed([weather], purpose);
      assert.notDeepEqual(after.vectors, before.vectors, 'the subject changes its model');
      assert.notEqual(after.modelId, before.modelId);
    }
  },
  'the model has a new id once a vector of the changed one was returned': async (subject) => {
    const { embedder } = subject;
    const before = await embedder.modelId();
    subject.change();
    const { modelId } = await embedder.embed([weather], 'document');
    assert.equal(await embedder.modelId(), modelId);
    assert.notEqual(modelId, before);
  },
} satisfies Contract<ChangeableEmbedder>;

/** What an embedder that can refuse a text promises in addition. */
export const refusingEmbedderContract = {
  'a document that no retry can embed throws a TextRefusedError that quotes none of it, while others are embedded':
    async ({ embedder, refuse }) => {
      const text = '- '.repeat(9_000);
      refuse(text);
      for (let time = 1; time <= 2; time += 1) {
        await assert.rejects(
          embedder.embed([text], 'document'),
          (error) => error instanceof TextRefusedError && !error.message.includes('- -'),
        );
      }
      assertUnitVector(await embedOne(embedder, 'x', 'document'), 'x');
    },
} satisfies Contract<RefusingEmbedder>;
