import { embeddingDimension, firstCharacters, type Embedder } from '@portico/domain';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { splitNames } from './terms.ts';
import { blend } from './vectors.ts';

/** The weight of each field of an operation in its vector. */
const fieldWeights = { title: 0.5, summary: 1, operationId: 0.5, tags: 0.3, path: 0.3, description: 0.3 } as const;
const fields = Object.keys(fieldWeights) as readonly (keyof typeof fieldWeights)[];
const descriptionMax = 200;
const collectionWeight = 0.25;

/** Returns an operation's fields, split into words. */
export const fieldTexts = (
  { title }: Pick<ApiDocument, 'title'>,
  operation: ApiOperation,
): Readonly<Record<keyof typeof fieldWeights, string>> => ({
  title,
  summary: operation.summary,
  operationId: inWords(operation.operationId),
  tags: operation.tags.map(inWords).join(' '),
  path: inWords(operation.path),
  description: firstCharacters(operation.description, descriptionMax),
});

/** Splits a name into words at changes of case and at punctuation. */
export const inWords = (name: string): string =>
  splitNames(name)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** The input for an operation's vector. With a model server, embedding each field of many operations takes too long. */
export type OperationText = 'fields' | 'one text';

/**
 * Embeds the operations of a document. With `fields`, each field is embedded, and the vectors are summed, each
 * multiplied by its weight and the square root of its word count. This approximates one weighted bag of words: vectors
 * have length 1, but a bag of many words is longer than a bag of few. With `one text`, the fields are concatenated.
 * Either result is blended with the collection's vector.
 */
export const operationVectors = async (
  embedder: Embedder,
  document: ApiDocument,
  operationText: OperationText,
): Promise<readonly Float32Array[]> => {
  if (document.operations.length === 0) return [];
  const texts = document.operations.map((operation) => fieldTexts(document, operation));
  const collectionText = document.description === '' ? document.title : `${document.title}\n${document.description}`;
  const vectorOf = await embedAll(embedder, [
    collectionText,
    ...texts.flatMap((text) => (operationText === 'fields' ? Object.values(text) : [oneText(text)])),
  ]);
  return texts.map((text) => {
    const operationVector =
      operationText === 'fields'
        ? blend(
            embeddingDimension,
            fields.map((field) => ({
              vector: vectorOf.get(text[field]),
              weight: fieldWeights[field] * Math.sqrt(wordCount(text[field])),
            })),
          )
        : vectorOf.get(oneText(text));
    return blend(embeddingDimension, [
      { vector: operationVector, weight: 1 - collectionWeight },
      { vector: vectorOf.get(collectionText), weight: collectionWeight },
    ]);
  });
};

const oneText = ({ title, summary, operationId, tags, path, description }: ReturnType<typeof fieldTexts>): string =>
  [summary, title, operationId, tags, path, description].filter((part) => part !== '').join('\n');

const wordCount = (text: string): number => text.split(/\s+/).length;

const batchSize = 32;

/** Embeds each distinct text once; skips blank texts. */
const embedAll = async (embedder: Embedder, texts: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> => {
  const distinct = [...new Set(texts.filter((text) => text.trim() !== ''))];
  const vectorOf = new Map<string, Float32Array>();
  for (let start = 0; start < distinct.length; start += batchSize) {
    const batch = distinct.slice(start, start + batchSize);
    const { vectors } = await embedder.embed(batch, 'document');
    for (const [at, text] of batch.entries()) vectorOf.set(text, vectors[at] ?? new Float32Array(embeddingDimension));
  }
  return vectorOf;
};
