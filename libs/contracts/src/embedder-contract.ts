import assert from 'node:assert/strict';
import { embeddingDimension, isPorticoError, TextRefusedError } from '@portico/domain';
import type { Embedder, EmbeddingPurpose } from '@portico/domain';
import type { Contract } from './contract.ts';

/** An embedder, and a switch that interrupts its dependencies. */
export interface InterruptibleEmbedder {
  readonly embedder: Embedder;
  /** Makes all dependencies of the embedder fail from now on. */
  interrupt(): void;
  /** Ends the interruption. */
  resume(): void;
}

/** An embedder, and a switch to a version of its model that returns different vectors. */
export interface ChangeableEmbedder {
  readonly embedder: Embedder;
  /** Switches to this version of the model, without notifying the embedder. */
  change(): void;
}

/** An embedder, and a switch that prevents it from embedding a document. */
export interface RefusingEmbedder {
  readonly embedder: Embedder;
  /** Makes every attempt to embed this document of 18,000 UTF-16 code units fail from now on. */
  readonly refuse: (text: string) => void;
}

const purposes: readonly EmbeddingPurpose[] = ['document', 'query'];

const weather = 'Weather API\nForecasts of temperature, rain and wind for any place on earth.';
const payments = 'Payments\nCharge credit cards and pay out to bank accounts.';

/** Texts in which a naive implementation finds no features. */
const featureless = [' ', '\n\t', '.', '…!?', '\u200b', '🙂', '👩‍👩‍👧‍👦', '日本の天気', 'الطقس', '---', 'the', '0'];

const embedOne = async (embedder: Embedder, text: string, purpose: EmbeddingPurpose): Promise<Float32Array> => {
  const { vectors } = await embedder.embed([text], purpose);
  const [vector, ...more] = vectors;
  assert.ok(vector && more.length === 0, 'one text, one vector');
  return vector;
};

const assertUnitVector = (vector: Float32Array | undefined, text: string): void => {
  const excerpt = JSON.stringify(text.slice(0, 40));
  assert.ok(vector instanceof Float32Array, `a vector for ${excerpt}`);
  assert.equal(vector.length, embeddingDimension, `dimensions for ${excerpt}`);
  assert.ok(vector.every(Number.isFinite), `finite numbers for ${excerpt}`);
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  assert.ok(Math.abs(length - 1) < 1e-5, `length ${length} for ${excerpt}`);
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
  'a text has the same vector regardless of the rest of the batch': async (embedder) => {
    for (const purpose of purposes) {
      const alone = await embedOne(embedder, weather, purpose);
      const others = Array.from({ length: 20 }, (_, i) => `${payments} ${i}`);
      assert.deepEqual((await embedder.embed([...others, weather], purpose)).vectors.at(-1), alone);
      assert.deepEqual((await embedder.embed([weather, ...others], purpose)).vectors[0], alone);
      assert.deepEqual(await embedOne(embedder, weather, purpose), alone);
    }
  },
  'changing a returned vector does not change later ones': async (embedder) => {
    for (const text of [weather, ' ']) {
      const first = await embedOne(embedder, text, 'query');
      const original = first.slice();
      first.fill(0);
      assert.deepEqual(await embedOne(embedder, text, 'query'), original);
    }
  },
  'an empty batch returns no vectors': async (embedder) => {
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

/** The additional contract of an embedder that can fail. */
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

/** The additional contract of an embedder whose model can change while it is in use. */
export const changeableEmbedderContract = {
  'vectors of a changed model have a new id immediately': async (subject) => {
    const { embedder } = subject;
    for (const purpose of purposes) {
      const before = await embedder.embed([weather], purpose);
      subject.change();
      const after = await embedder.embed([weather], purpose);
      assert.notDeepEqual(after.vectors, before.vectors, 'the subject changes its model');
      assert.notEqual(after.modelId, before.modelId);
    }
  },
  'the model has a new id once a vector of the changed model was returned': async (subject) => {
    const { embedder } = subject;
    const before = await embedder.modelId();
    subject.change();
    const { modelId } = await embedder.embed([weather], 'document');
    assert.equal(await embedder.modelId(), modelId);
    assert.notEqual(modelId, before);
  },
} satisfies Contract<ChangeableEmbedder>;

/** The additional contract of an embedder that can reject a text. */
export const refusingEmbedderContract = {
  'a document that no retry can embed throws a TextRefusedError that does not quote it, and others are embedded':
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
