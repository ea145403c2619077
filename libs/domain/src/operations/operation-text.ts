import type { Collection } from '../collections/collection.ts';
import type { Operation } from '../documents/operation.ts';
import { shortLine } from '../line.ts';

/** More than operations have to say as a rule; a model takes longer for a longer text. In UTF-16 units. */
const textMax = 1_000;

/** What is read of an operation. */
type OperationTexts = Omit<Operation, 'key' | 'deprecated'>;

/**
 * The text by which a language model embeds an operation, a line for each thing that is known: what it does first,
 * because models give most weight to the beginning, and its description last, because the end may be cut off.
 */
export const operationText = (
  { name }: Pick<Collection, 'name'>,
  { summary, method, path, operationId, tags, excerpt }: OperationTexts,
): string =>
  [
    summary ?? '',
    `${method.toLowerCase()} ${inWords(path)}`,
    inWords(operationId ?? ''),
    name,
    tags.join(', '),
    excerpt,
  ]
    .map((line) => shortLine(line, textMax))
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, textMax)
    .toWellFormed();

/** The text of the collection that its operations are part of. */
export const ownerText = ({ name, description }: Pick<Collection, 'name' | 'description'>): string =>
  (description ? `${name}\n${description}` : name).slice(0, textMax).toWellFormed();

/** `/v1/paymentLinks/{id}` is `v1 payment Links id`. */
const inWords = (text: string): string =>
  text
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
