/** The longest text and pattern that are matched, in characters, and about the number of steps that a match may take. */
const [charactersMax, stepsMax] = [10_000, 10_000_000];

/**
 * Returns whether a text matches a pattern (JSON Schema 2020-12, section 6.3.3), which is valid in one of the grammars
 * of ECMA-262; null if it is meant in another one, or finding out could take long. A regular expression takes a time that
 * grows with the length of the text to the power of its quantifiers, with the alternatives that it combines, and
 * exponentially if a repeated group has a quantifier or alternatives inside.
 */
export function matchesPattern(pattern: string, text: string): boolean | null {
  if (pattern.length > charactersMax || foreignPattern.test(pattern)) return null;
  const plainPattern = pattern.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeatedGroups = plainPattern.match(/\)[*+{]/g) ?? [];
  const plainGroups = plainPattern.match(/\((?:\?:)?[^()|*+?{]*\)[*+{]/g) ?? [];
  if (repeatedGroups.length > plainGroups.length) return null;
  const quantifiers = plainPattern.match(/[*+{]/g) ?? [];
  const steps = text.length ** (quantifiers.length + 1) * countWays(plainPattern);
  return text.length <= charactersMax && steps <= stepsMax ? toRegExp(pattern).test(text) : null;
}

/** Texts that are patterns of other languages: with slashes and flags, or with classes and anchors of POSIX or Perl. */
const foreignPattern = /^\/.*\/[a-z]*$|\[\[:|\\[AzZ]/s;

/** Returns how many ways through a pattern its alternatives and optional parts make. */
function countWays(pattern: string): number {
  let [ways, rest] = [1, pattern];
  for (let group = innerGroup.exec(rest); group; group = innerGroup.exec(rest)) {
    ways *= (group[1] ?? '').split('|').length;
    rest = rest.replace(group[0], 'x');
  }
  return ways * rest.split('|').length * 2 ** (pattern.match(/(?<!\()\?/g) ?? []).length;
}

const innerGroup = /\((?:\?[:=!]|\?<[^>]*>|\?<[=!])?([^()]*)\)/;

const toRegExp = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern); // Valid without Unicode support only.
  }
};
