import type { Collection } from '../collections/collection.ts';
import type { Operation } from '../documents/operation.ts';
import { toShortLine } from '../line.ts';

/**
 * The maximum length of a text, in UTF-16 units. Most operations have a shorter text, and a model takes longer for a
 * longer one.
 */
const textMax = 1_000;

/** The fields of an operation that are embedded. */
type EmbeddedFields = Omit<Operation, 'key' | 'deprecated'>;

/**
 * Returns the text that a language model embeds for an operation, one line for each known field: its summary first,
 * because models give most weight to the beginning, and its description last, because the end may be cut off.
 */
export const operationTextOf = (
  { name }: Pick<Collection, 'name'>,
  { summary, method, path, operationId, tags, excerpt }: EmbeddedFields,
): string =>
  [
    summary ?? '',
    `${method.toLowerCase()} ${splitWords(path)}`,
    splitWords(operationId ?? ''),
    name,
    tags.join(', '),
    excerpt,
  ]
    .map((line) => toShortLine(line, textMax))
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, textMax)
    .toWellFormed();

/** Returns the text that a language model embeds for the operations' collection. */
export const collectionTextOf = ({ name, description }: Pick<Collection, 'name' | 'description'>): string =>
  (description ? `${name}\n${description}` : name).slice(0, textMax).toWellFormed();

/** Splits a text into words: `/v1/paymentLinks/{id}` becomes `v1 payment Links id`. */
const splitWords = (text: string): string =>
  text
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
