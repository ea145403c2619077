import { words } from '../../../words/words.ts';
import type { FileRead } from './read-document.ts';

const text = words.apis.import;

/** Explains why a file cannot be read, with the position of the error. */
export const brokenSentence = ({ because, detail, place }: FileRead & { readonly kind: 'broken' }): string => {
  const where = place ? `, ${text.at(place.line, place.column)}` : '';
  return `${text.broken[because]}${where}${detail === '' ? '' : `: ${detail}`}`;
};
