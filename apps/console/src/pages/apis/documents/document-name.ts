/** The maximum length of a name that the service accepts, in characters. */
const nameMax = 200;

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

const toName = (text: string): string | null => {
  const line = text.toWellFormed().replace(unprintable, ' ').trim();
  return [...line.slice(0, 4 * nameMax)].slice(0, nameMax).join('').trim() || null;
};

/** Returns the name that `portico import` gives an API: the title of the document, or else the file name. */
export const nameOf = (title: string | null, path: string): string => {
  const stem = path.replace(/^.*\//, '').replace(/\.(json|ya?ml)$/i, '');
  return toName(title ?? '') ?? toName(stem) ?? 'Untitled';
};
