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
 * Returns the `limit` best matches among `candidateIds`, including ties for the last place. The comparison is exact: a graph
 * is approximate, and misses neighbors if few vectors pass a filter. A long list is queried in parts, and the best
 * matches from each part are merged: every overall best match is also among the best of its part.
 */
export const findNearest = async (
  server: QdrantServer,
  generation: Generation,
  { modelId, vector, candidateIds, limit }: VectorQuery,
): Promise<readonly VectorMatch[]> => {
  const numbers = [...vector];
  const queryTop = (ids: readonly CollectionId[] | null) => (count: number) =>
    server.query(generation.name, modelId, numbers, ids, count);
  if (candidateIds.length > idsPerRequest && candidateIds.length >= scanAllShare * generation.sizeOf(modelId)) {
    const visibleIds = new Set(candidateIds);
    return selectBest(
      await fetchWithTies(queryTop(null), Math.min(limit, visibleIds.size), (score) =>
        visibleIds.has(score.collectionId),
      ),
      limit,
    );
  }
  const parts = chunksOf([...new Set(candidateIds)], idsPerRequest);
  const topScores: Score[] = [];
  for (let i = 0; i < parts.length; i += concurrentRequests) {
    const partResults = parts.slice(i, i + concurrentRequests).map(async (ids) => {
      const requestedIds = new Set(ids);
      const scores = await fetchWithTies(queryTop(ids), Math.min(limit, ids.length), () => true);
      if (scores.some(({ collectionId }) => !requestedIds.has(collectionId))) {
        throw new QdrantFailure('unavailable', 'it returned ids that were not requested');
      }
      return selectBest(scores, limit);
    });
    topScores.push(...(await Promise.all(partResults)).flat());
  }
  return selectBest(topScores, limit);
};

/** Requests more scores until one is below the last score within the limit, or there are no more. */
const fetchWithTies = async (
  queryTop: (count: number) => Promise<readonly Score[]>,
  limit: number,
  isEligible: (score: Score) => boolean,
): Promise<readonly Score[]> => {
  for (let count = limit + 1; ; count *= 4) {
    const scores = await queryTop(count);
    const eligibleScores = scores.filter(isEligible).sort(compareByScore);
    const [lastScore, worstScore] = [eligibleScores[limit - 1], scores.at(-1)];
    if (scores.length < count || (lastScore && worstScore && worstScore.score < lastScore.score)) return eligibleScores;
  }
};

const selectBest = (scores: readonly Score[], limit: number): readonly Score[] => {
  const sortedScores = [...scores].sort(compareByScore);
  const lastScore = sortedScores[limit - 1];
  return lastScore ? sortedScores.filter(({ score }) => score >= lastScore.score) : sortedScores;
};

const compareByScore = (a: Score, b: Score): number => b.score - a.score;
