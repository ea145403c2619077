import type { CollectionId, VectorMatch, VectorQuery } from '@portico/domain';
import { chunksOf, type Generation } from './generation.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Score } from './read-response.ts';

/**
 * The number of ids per request, which take up 80 KB of its body. The server looks them up in a set, and compares no
 * other vectors.
 */
const idsPerRequest = 2_000;
const concurrentRequests = 4;

/** From this share of all vectors upwards, it is cheaper to query all vectors and drop the others. */
const scanAllShare = 0.9;

/**
 * Returns the `limit` best matches among `among`, including ties for the last place. The comparison is exact: a graph
 * is approximate, and misses neighbors if few vectors pass a filter. A long list is queried in parts, and the best
 * matches from each part are merged: every overall best match is also among the best of its part.
 */
export const nearest = async (
  server: QdrantServer,
  generation: Generation,
  { modelId, vector, among, limit }: VectorQuery,
): Promise<readonly VectorMatch[]> => {
  const numbers = [...vector];
  const queryTop = (ids: readonly CollectionId[] | null) => (count: number) =>
    server.query(generation.name, modelId, numbers, ids, count);
  if (among.length > idsPerRequest && among.length >= scanAllShare * generation.sizeOf(modelId)) {
    const visible = new Set(among);
    return best(
      await fetchWithTies(queryTop(null), Math.min(limit, visible.size), (score) => visible.has(score.collectionId)),
      limit,
    );
  }
  const parts = chunksOf([...new Set(among)], idsPerRequest);
  const topScores: Score[] = [];
  for (let i = 0; i < parts.length; i += concurrentRequests) {
    const partResults = parts.slice(i, i + concurrentRequests).map(async (ids) => {
      const requested = new Set(ids);
      const scores = await fetchWithTies(queryTop(ids), Math.min(limit, ids.length), () => true);
      if (scores.some(({ collectionId }) => !requested.has(collectionId))) {
        throw new QdrantFailure('unavailable', 'it returned ids that were not requested');
      }
      return best(scores, limit);
    });
    topScores.push(...(await Promise.all(partResults)).flat());
  }
  return best(topScores, limit);
};

/** Requests more scores until one is below the last score within the limit, or there are no more. */
const fetchWithTies = async (
  queryTop: (count: number) => Promise<readonly Score[]>,
  limit: number,
  isEligible: (score: Score) => boolean,
): Promise<readonly Score[]> => {
  for (let count = limit + 1; ; count *= 4) {
    const scores = await queryTop(count);
    const eligible = scores.filter(isEligible).sort(byScore);
    const [last, worst] = [eligible[limit - 1], scores.at(-1)];
    if (scores.length < count || (last && worst && worst.score < last.score)) return eligible;
  }
};

const best = (scores: readonly Score[], limit: number): readonly Score[] => {
  const ordered = [...scores].sort(byScore);
  const last = ordered[limit - 1];
  return last ? ordered.filter(({ score }) => score >= last.score) : ordered;
};

const byScore = (a: Score, b: Score): number => b.score - a.score;
