/** The weighted term frequencies of one document. */
export type TermCounts = ReadonlyMap<string, number>;

const k1 = 1.2;
const b = 0.75;

/**
 * Creates a ranker that uses Okapi BM25 (Robertson and Zaragoza, 2009). It returns the indices of documents that
 * contain a term of the query, best first. Documents with equal scores are in their original order.
 */
export const createBm25 = (
  documents: readonly TermCounts[],
): ((query: readonly string[]) => readonly { readonly index: number; readonly score: number }[]) => {
  const lengths = documents.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const averageLength = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / documents.length);
  const postings = new Map<string, { readonly index: number; readonly weight: number }[]>();
  for (const [index, counts] of documents.entries()) {
    const scale = k1 * (1 - b + (b * (lengths[index] ?? 0)) / averageLength);
    for (const [term, count] of counts) {
      const posting = postings.get(term) ?? [];
      posting.push({ index, weight: (count * (k1 + 1)) / (count + scale) });
      postings.set(term, posting);
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const term of query) {
      const posting = postings.get(term) ?? [];
      const idf = Math.log(1 + (documents.length - posting.length + 0.5) / (posting.length + 0.5));
      for (const { index, weight } of posting) scores.set(index, (scores.get(index) ?? 0) + idf * weight);
    }
    return [...scores]
      .map(([index, score]) => ({ index, score }))
      .sort((x, y) => y.score - x.score || x.index - y.index);
  };
};

/** Counts the terms in fields. Each count is multiplied by the field's weight. */
export const countTerms = (
  fields: readonly { readonly terms: readonly string[]; readonly weight: number }[],
): TermCounts => {
  const counts = new Map<string, number>();
  for (const { terms, weight } of fields) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
  return counts;
};
