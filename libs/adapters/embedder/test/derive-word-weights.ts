import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { stem } from '../src/stem.ts';
import { removeMarkup, wordsOf } from '../src/words.ts';

/**
 * Writes `src/common-stems.ts` based on texts about APIs and on general English, a file of WordNet glosses with one
 * synset per line. Usage: node -C @portico/source test/derive-word-weights.ts <training-text.jsonl.gz> <glosses.txt>
 */
const tableSize = 600;
/** The factor by which a word's share of the glosses is multiplied, because glosses are shorter than descriptions. */
const glossFactor = 3;
/** Words outside the table are assumed to be rarer by this factor than the last word in the table. */
const rareShare = 0.3;

const countFrequencies = (texts: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const key of new Set(wordsOf(removeMarkup(text)).map(stem))) {
      counts.set(key, (counts.get(key) ?? 0) + 1 / texts.length);
    }
  }
  return counts;
};

/** Returns the weight that BM25 gives to a word that occurs in this share of the documents. */
const computeInverseFrequency = (share: number): number => Math.log(1 + Math.max(0, 1 - share) / share);

const deriveTable = (apis: readonly string[], glosses: readonly string[]): string => {
  const shares = new Map(countFrequencies(apis));
  for (const [key, share] of countFrequencies(glosses)) {
    shares.set(key, Math.max(shares.get(key) ?? 0, share * glossFactor));
  }
  const commonEntries = [...shares]
    .filter(([key]) => /^[a-z]{2,}$/.test(key))
    .sort(([x, share], [y, otherShare]) => otherShare - share || (x < y ? -1 : 1))
    .slice(0, tableSize);
  const rareWeight = computeInverseFrequency((commonEntries.at(-1)?.[1] ?? 1) * rareShare);
  const classes = Map.groupBy(commonEntries, ([, share]) =>
    Math.round((10 * computeInverseFrequency(share)) / rareWeight),
  );
  const entries = [...classes].sort(([x], [y]) => x - y);
  return `/**
 * Stems that are common in descriptions of APIs or in English at large, by weight in tenths of a rare word's. Derived
 * by \`test/derive-word-weights.ts\` from APIs-guru/openapi-directory (CC0-1.0), microsoft/PowerPlatformConnectors (MIT),
 * jentic/jentic-public-apis (MIT), documents of vendors (MIT, Apache-2.0, BSD-3-Clause, MPL-2.0), and the glosses of the
 * Open English WordNet (CC BY 4.0).
 */
export const commonStems: Readonly<Record<number, string>> = {
${entries.map(([tenths, words]) => `  ${tenths}: ${JSON.stringify(words.map(([key]) => key).join(' '))},`).join('\n')}
};
`;
};

const [apis = '', glosses = ''] = process.argv.slice(2);
if (!existsSync(apis) || !existsSync(glosses)) {
  throw new Error('Usage: derive-word-weights.ts <training-text.jsonl.gz> <glosses.txt>');
}
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const texts = linesOf(gunzipSync(readFileSync(apis)).toString()).map(
  (line) => (JSON.parse(line) as { text: string }).text,
);
writeFileSync(
  fileURLToPath(new URL('../src/common-stems.ts', import.meta.url)),
  deriveTable(texts, linesOf(readFileSync(glosses, 'utf8'))),
);
