import { toNameKey } from './collection.ts';

/** The maximum number of tags of a collection. */
export const tagsMax = 20;

/** The maximum length of a tag, in characters (Unicode code points), after trimming. */
export const tagMax = 50;

/** Returns the first tag that equals an earlier one, ignoring case; null if there is none. */
export const findRepeatedTag = (tags: readonly string[]): string | null => {
  const keys = tags.map(toNameKey);
  return tags.find((_tag, index) => keys.indexOf(keys[index] ?? '') !== index) ?? null;
};
