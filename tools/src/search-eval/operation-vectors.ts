import { embeddingDimension, firstCharacters, type Embedder } from '@portico/domain';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { splitNames } from './terms.ts';
import { blended } from './vectors.ts';

/** How much each part of an operation counts in its vector. */
const fieldWeights = { title: 0.5, summary: 1, operationId: 0.5, tags: 0.3, path: 0.3, description: 0.3 } as const;
const fields = Object.keys(fieldWeights) as readonly (keyof typeof fieldWeights)[];
const descriptionMax = 200;
const collectionWeight = 0.25;

/** The parts of an operation as texts in words. */
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

/** Names joined by case or punctuation, as words. */
export const inWords = (name: string): string =>
  splitNames(name)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** How the vector of an operation is made. A model server takes too long to embed each field of many operations. */
export type OperationText = 'fields' | 'one text';

/**
 * Embeds the operations of a document. `fields`: each field is embedded, and the vectors are summed by weight and by
 * the square root of their words, which comes near to one weighted bag of words: vectors have length 1, but a bag of
 * many words is longer than one of few. `one text`: the fields follow each other in one text. Either is joined with
 * the vector of the collection.
 */
export const operationVectors = async (
  embedder: Embedder,
  document: ApiDocument,
  how: OperationText,
): Promise<readonly Float32Array[]> => {
  if (document.operations.length === 0) return [];
  const texts = document.operations.map((operation) => fieldTexts(document, operation));
  const about = document.description === '' ? document.title : `${document.title}\n${document.description}`;
  const vectorOf = await embedAll(embedder, [
    about,
    ...texts.flatMap((text) => (how === 'fields' ? Object.values(text) : [oneText(text)])),
  ]);
  return texts.map((text) => {
    const own =
      how === 'fields'
        ? blended(
            embeddingDimension,
            fields.map((field) => ({
              vector: vectorOf.get(text[field]),
              weight: fieldWeights[field] * Math.sqrt(wordCount(text[field])),
            })),
          )
        : vectorOf.get(oneText(text));
    return blended(embeddingDimension, [
      { vector: own, weight: 1 - collectionWeight },
      { vector: vectorOf.get(about), weight: collectionWeight },
    ]);
  });
};

const oneText = ({ title, summary, operationId, tags, path, description }: ReturnType<typeof fieldTexts>): string =>
  [summary, title, operationId, tags, path, description].filter((part) => part !== '').join('\n');

const wordCount = (text: string): number => text.split(/\s+/).length;

const textsAtOnce = 32;

/** Embeds each different text once; texts without a character that is no space are left out. */
const embedAll = async (embedder: Embedder, texts: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> => {
  const different = [...new Set(texts.filter((text) => text.trim() !== ''))];
  const vectorOf = new Map<string, Float32Array>();
  for (let start = 0; start < different.length; start += textsAtOnce) {
    const some = different.slice(start, start + textsAtOnce);
    const { vectors } = await embedder.embed(some, 'document');
    for (const [at, text] of some.entries()) vectorOf.set(text, vectors[at] ?? new Float32Array(embeddingDimension));
  }
  return vectorOf;
};
