import { words } from '../../../words/words.ts';
import type { FileRead } from './read-document.ts';

const text = words.apis.import;

/** Explains why a file cannot be read, with the position of the error. */
export const describeBrokenFile = ({ reason, detail, position }: FileRead & { readonly kind: 'broken' }): string => {
  const suffix = position ? `, ${text.position(position.line, position.column)}` : '';
  return `${text.broken[reason]}${suffix}${detail === '' ? '' : `: ${detail}`}`;
};
