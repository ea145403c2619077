import assert from 'node:assert/strict';
import { embeddingDimension, isPorticoError, TextRejectedError } from '@portico/domain';
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

/** An embedder, and a function that switches to a version of its model that returns different vectors. */
export interface ChangeableEmbedder {
  readonly embedder: Embedder;
  /** Switches to this version of the model, without notifying the embedder. */
  changeModel(): void;
}

/** An embedder, and a switch that prevents it from embedding a document. */
export interface RejectingEmbedder {
  readonly embedder: Embedder;
  /** Makes every attempt to embed this document of 18,000 UTF-16 code units fail from now on. */
  readonly reject: (text: string) => void;
}

const purposes: readonly EmbeddingPurpose[] = ['document', 'query'];

const weather = 'Weather API\nForecasts of temperature, rain and wind for any place on earth.';
const payments = 'Payments\nCharge credit cards and pay out to bank accounts.';

/** Texts in which a naive implementation finds no features. */
const featurelessTexts = [' ', '\n\t', '.', '…!?', '\u200b', '🙂', '👩‍👩‍👧‍👦', '日本の天気', 'الطقس', '---', 'the', '0'];

const embedText = async (embedder: Embedder, text: string, purpose: EmbeddingPurpose): Promise<Float32Array> => {
  const { vectors } = await embedder.embed([text], purpose);
  const [vector, ...more] = vectors;
  assert.ok(vector && more.length === 0, 'one vector for one text');
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

const computeCosine = (x: Float32Array, y: Float32Array): number =>
  x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

export const embedderContract = {
  'a vector is a unit vector with 768 finite components': async (embedder) => {
    for (const purpose of purposes) {
      for (const text of [weather, payments, 'x', 'rain '.repeat(400), `${weather} ${payments} `.repeat(80)]) {
        assertUnitVector(await embedText(embedder, text, purpose), text);
      }
    }
  },
  'a text without any known features still gets a unit vector': async (embedder) => {
    for (const purpose of purposes) {
      const { vectors } = await embedder.embed(featurelessTexts, purpose);
      assert.equal(vectors.length, featurelessTexts.length);
      featurelessTexts.forEach((text, i) => assertUnitVector(vectors[i], text));
    }
  },
  'there is one vector per text, in the order of the texts': async (embedder) => {
    for (const purpose of purposes) {
      const texts = [payments, weather, payments, ' ', weather];
      const { vectors } = await embedder.embed(texts, purpose);
      assert.equal(vectors.length, texts.length);
      for (const [i, text] of texts.entries()) {
        assert.deepEqual(vectors[i], await embedText(embedder, text, purpose), `vector ${i}`);
      }
    }
  },
  'a text has the same vector regardless of the rest of the batch': async (embedder) => {
    for (const purpose of purposes) {
      const vectorAlone = await embedText(embedder, weather, purpose);
      const otherTexts = Array.from({ length: 20 }, (_, i) => `${payments} ${i}`);
      assert.deepEqual((await embedder.embed([...otherTexts, weather], purpose)).vectors.at(-1), vectorAlone);
      assert.deepEqual((await embedder.embed([weather, ...otherTexts], purpose)).vectors[0], vectorAlone);
      assert.deepEqual(await embedText(embedder, weather, purpose), vectorAlone);
    }
  },
  'changing a returned vector does not affect later vectors': async (embedder) => {
    for (const text of [weather, ' ']) {
      const vector = await embedText(embedder, text, 'query');
      const original = vector.slice();
      vector.fill(0);
      assert.deepEqual(await embedText(embedder, text, 'query'), original);
    }
  },
  'an empty batch returns no vectors': async (embedder) => {
    for (const purpose of purposes) {
      assert.deepEqual((await embedder.embed([], purpose)).vectors, []);
    }
  },
  'a query is closer to the document that shares its words': async (embedder) => {
    const query = await embedText(embedder, 'rain and wind', 'query');
    const { vectors } = await embedder.embed([weather, payments], 'document');
    const [nearVector, farVector] = vectors;
    assert.ok(nearVector && farVector && computeCosine(query, nearVector) > computeCosine(query, farVector));
  },
  'the model has an id that does not change': async (embedder) => {
    const name = await embedder.getModelId();
    assert.match(name, /\S/);
    await embedText(embedder, weather, 'document');
    assert.equal(await embedder.getModelId(), name);
  },
  'vectors are returned with the id of the model that produced them': async (embedder) => {
    for (const purpose of purposes) {
      const { modelId } = await embedder.embed([weather, payments], purpose);
      assert.equal(modelId, await embedder.getModelId());
    }
  },
  'the check succeeds while the embedder can embed texts': async (embedder) => {
    await embedder.check();
  },
} satisfies Contract<Embedder>;

const isUnavailable = (error: unknown): boolean => isPorticoError(error, 'embedding_unavailable');

/** The additional contract of an embedder that can fail. */
export const interruptibleEmbedderContract = {
  'embedding throws embedding_unavailable while dependencies are unavailable, and works again afterwards': async (
    subject,
  ) => {
    const { embedder } = subject;
    subject.interrupt();
    await assert.rejects(embedder.embed([weather], 'document'), isUnavailable);
    await assert.rejects(embedder.embed([weather], 'query'), isUnavailable);
    subject.resume();
    assertUnitVector(await embedText(embedder, weather, 'query'), weather);
  },
  'the check rejects with embedding_unavailable while dependencies are unavailable, and succeeds again afterwards':
    async (subject) => {
      subject.interrupt();
      await assert.rejects(subject.embedder.check(), isUnavailable);
      subject.resume();
      await subject.embedder.check();
    },
} satisfies Contract<InterruptibleEmbedder>;

/** The additional contract of an embedder whose model can change while it is in use. */
export const changeableEmbedderContract = {
  'vectors from a changed model have a new id immediately': async (subject) => {
    const { embedder } = subject;
    for (const purpose of purposes) {
      const before = await embedder.embed([weather], purpose);
      subject.changeModel();
      const after = await embedder.embed([weather], purpose);
      assert.notDeepEqual(after.vectors, before.vectors, 'the subject did not change its model');
      assert.notEqual(after.modelId, before.modelId);
    }
  },
  'the model has a new id once it has returned a vector after the change': async (subject) => {
    const { embedder } = subject;
    const before = await embedder.getModelId();
    subject.changeModel();
    const { modelId } = await embedder.embed([weather], 'document');
    assert.equal(await embedder.getModelId(), modelId);
    assert.notEqual(modelId, before);
  },
} satisfies Contract<ChangeableEmbedder>;

/** The additional contract of an embedder that can reject a text. */
export const rejectingEmbedderContract = {
  'a document that can never be embedded throws a TextRejectedError that does not quote it, and other documents are still embedded':
    async ({ embedder, reject }) => {
      const text = '- '.repeat(9_000);
      reject(text);
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await assert.rejects(
          embedder.embed([text], 'document'),
          (error) => error instanceof TextRejectedError && !error.message.includes('- -'),
        );
      }
      assertUnitVector(await embedText(embedder, 'x', 'document'), 'x');
    },
} satisfies Contract<RejectingEmbedder>;
