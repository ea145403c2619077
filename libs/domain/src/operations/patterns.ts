/** The longest text that is matched, in characters, and about the number of steps that a match may take. */
const [charactersMax, stepsMax] = [10_000, 10_000_000];

/**
 * Returns whether a text matches a pattern (JSON Schema 2020-12, section 6.3.3), which is valid in one of the grammars
 * of ECMA-262; null if finding out could take long. A regular expression takes a time that grows with the length of the
 * text to the power of its quantifiers, and exponentially if a repeated group has a quantifier or alternatives inside.
 */
export function matchesPattern(pattern: string, text: string): boolean | null {
  const plainPattern = pattern.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeatedGroups = plainPattern.match(/\)[*+{]/g) ?? [];
  const plainGroups = plainPattern.match(/\((?:\?:)?[^()|*+?{]*\)[*+{]/g) ?? [];
  if (repeatedGroups.length > plainGroups.length) return null;
  const quantifiers = plainPattern.match(/[*+{]/g) ?? [];
  const isQuick = text.length <= Math.min(charactersMax, stepsMax ** (1 / (quantifiers.length + 1)));
  return isQuick ? toRegExp(pattern).test(text) : null;
}

const toRegExp = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern); // Valid without Unicode support only.
  }
};
