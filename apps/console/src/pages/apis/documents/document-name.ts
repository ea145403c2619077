/** In characters, as the service takes a name. */
const nameMax = 200;

const unplain = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

const nameIn = (text: string): string | null => {
  const line = text.toWellFormed().replace(unplain, ' ').trim();
  return [...line.slice(0, 4 * nameMax)].slice(0, nameMax).join('').trim() || null;
};

/** What `portico import` calls an API: the document's title, else the name of its file. */
export const nameOf = (title: string | null, path: string): string => {
  const stem = path.replace(/^.*\//, '').replace(/\.(json|ya?ml)$/i, '');
  return nameIn(title ?? '') ?? nameIn(stem) ?? 'Untitled';
};
