import type { CollectionId, VectorMatch, VectorQuery } from '@portico/domain';
import { chunksOf, type Generation } from './generation.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Score } from './read-answer.ts';

/** Ids per request: 80 KB of its body. The server looks each up in a set, and compares no other vectors. */
const idsPerRequest = 2_000;
const requestsAtOnce = 4;

/** From this share of all vectors, it is cheaper to query all and drop the others. */
const nearlyAll = 0.9;

/**
 * The `limit` best of `among` including ties for the last place, compared exactly: a graph is approximate, and misses
 * neighbours if a filter leaves few. A long list is queried in parts, and the best of each are merged: whatever is
 * among the best overall is among the best of its part.
 */
export const nearest = async (
  server: QdrantServer,
  generation: Generation,
  { modelId, vector, among, limit }: VectorQuery,
): Promise<readonly VectorMatch[]> => {
  const numbers = [...vector];
  const ask = (ids: readonly CollectionId[] | null) => (count: number) =>
    server.query(generation.name, modelId, numbers, ids, count);
  if (among.length > idsPerRequest && among.length >= nearlyAll * generation.sizeOf(modelId)) {
    const inside = new Set(among);
    return best(
      await enough(ask(null), Math.min(limit, inside.size), (score) => inside.has(score.collectionId)),
      limit,
    );
  }
  const parts = chunksOf([...new Set(among)], idsPerRequest);
  const found: Score[] = [];
  for (let i = 0; i < parts.length; i += requestsAtOnce) {
    const answers = parts.slice(i, i + requestsAtOnce).map(async (ids) => {
      const inside = new Set(ids);
      const scores = await enough(ask(ids), Math.min(limit, ids.length), () => true);
      if (scores.some(({ collectionId }) => !inside.has(collectionId))) {
        throw new QdrantFailure('away', 'it returned ids that were not asked for');
      }
      return best(scores, limit);
    });
    found.push(...(await Promise.all(answers)).flat());
  }
  return best(found, limit);
};

/** Asks for more until a score below the last one within the limit appears, or there are no more. */
const enough = async (
  ask: (count: number) => Promise<readonly Score[]>,
  limit: number,
  isMeant: (score: Score) => boolean,
): Promise<readonly Score[]> => {
  for (let count = limit + 1; ; count *= 4) {
    const scores = await ask(count);
    const meant = scores.filter(isMeant).sort(byScore);
    const [last, worst] = [meant[limit - 1], scores.at(-1)];
    if (scores.length < count || (last && worst && worst.score < last.score)) return meant;
  }
};

const best = (scores: readonly Score[], limit: number): readonly Score[] => {
  const ordered = [...scores].sort(byScore);
  const last = ordered[limit - 1];
  return last ? ordered.filter(({ score }) => score >= last.score) : ordered;
};

const byScore = (a: Score, b: Score): number => b.score - a.score;
