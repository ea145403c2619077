import { embeddingDimension, takeFirstCharacters, type Embedder } from '@portico/domain';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { splitNames } from './terms.ts';
import { blend } from './vectors.ts';

/** The weight of each field of an operation in its vector. */
const fieldWeights = { title: 0.5, summary: 1, operationId: 0.5, tags: 0.3, path: 0.3, description: 0.3 } as const;
const fields = Object.keys(fieldWeights) as readonly (keyof typeof fieldWeights)[];
const descriptionMax = 200;
const collectionWeight = 0.25;

/** Returns an operation's fields, split into words. */
export const buildFieldTexts = (
  { title }: Pick<ApiDocument, 'title'>,
  operation: ApiOperation,
): Readonly<Record<keyof typeof fieldWeights, string>> => ({
  title,
  summary: operation.summary,
  operationId: splitIntoWords(operation.operationId),
  tags: operation.tags.map(splitIntoWords).join(' '),
  path: splitIntoWords(operation.path),
  description: takeFirstCharacters(operation.description, descriptionMax),
});

/** Splits a name into words at changes of case and at punctuation. */
export const splitIntoWords = (name: string): string =>
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
export const embedOperations = async (
  embedder: Embedder,
  document: ApiDocument,
  operationText: OperationText,
): Promise<readonly Float32Array[]> => {
  if (document.operations.length === 0) return [];
  const texts = document.operations.map((operation) => buildFieldTexts(document, operation));
  const collectionText = document.description === '' ? document.title : `${document.title}\n${document.description}`;
  const vectorByText = await embedAll(embedder, [
    collectionText,
    ...texts.flatMap((text) => (operationText === 'fields' ? Object.values(text) : [joinTexts(text)])),
  ]);
  return texts.map((text) => {
    const operationVector =
      operationText === 'fields'
        ? blend(
            embeddingDimension,
            fields.map((field) => ({
              vector: vectorByText.get(text[field]),
              weight: fieldWeights[field] * Math.sqrt(countWords(text[field])),
            })),
          )
        : vectorByText.get(joinTexts(text));
    return blend(embeddingDimension, [
      { vector: operationVector, weight: 1 - collectionWeight },
      { vector: vectorByText.get(collectionText), weight: collectionWeight },
    ]);
  });
};

const joinTexts = ({
  title,
  summary,
  operationId,
  tags,
  path,
  description,
}: ReturnType<typeof buildFieldTexts>): string =>
  [summary, title, operationId, tags, path, description].filter((part) => part !== '').join('\n');

const countWords = (text: string): number => text.split(/\s+/).length;

const batchSize = 32;

/** Embeds each distinct text once; skips blank texts. */
const embedAll = async (embedder: Embedder, texts: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> => {
  const distinctTexts = [...new Set(texts.filter((text) => text.trim() !== ''))];
  const vectorByText = new Map<string, Float32Array>();
  for (let start = 0; start < distinctTexts.length; start += batchSize) {
    const batch = distinctTexts.slice(start, start + batchSize);
    const { vectors } = await embedder.embed(batch, 'document');
    for (const [index, text] of batch.entries())
      vectorByText.set(text, vectors[index] ?? new Float32Array(embeddingDimension));
  }
  return vectorByText;
};
