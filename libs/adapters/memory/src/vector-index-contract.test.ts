import { createEmbeddingChanges, vectorIndexContract, vectorTowards } from '@portico/contracts';
import type { Sabotages, VectorIndexSubject } from '@portico/contracts';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { expect, test } from 'vitest';
import { createMemoryVectorIndex } from './memory-vector-index.ts';

const createSubject = (): VectorIndexSubject => {
  const embeddings = createEmbeddingChanges();
  let interrupted = false;
  const index = createMemoryVectorIndex({
    embeddings: {
      changedSince: async (...args) => {
        if (interrupted) {
          throw new Error('the store is down');
        }
        return embeddings.changedSince(...args);
      },
    },
  });
  const set = (value: boolean) => () => {
    interrupted = value;
  };
  return { index, embeddings, interrupt: set(true), resume: set(false) };
};

type Sabotage = (subject: VectorIndexSubject) => VectorIndexSubject;

/** Puts other methods over the index's own. */
const over =
  (change: (index: VectorIndex, subject: VectorIndexSubject) => Partial<VectorIndex>): Sabotage =>
  (subject) => ({ ...subject, index: { ...subject.index, ...change(subject.index, subject) } });

const onMatches = (change: (matches: readonly VectorMatch[], query: VectorQuery) => readonly VectorMatch[]): Sabotage =>
  over((index) => ({ search: async (query) => change(await index.search(query), query) }));

const onQuery = (change: (query: VectorQuery) => VectorQuery): Sabotage =>
  over((index) => ({ search: (query) => index.search(change(query)) }));

/** An index that swallows a refusal and stores this in place of the vector. */
const storing = (isWrong: (vector: Float32Array) => boolean): Sabotage =>
  over((index) => ({
    upsert: (modelId, id, vector) => index.upsert(modelId, id, isWrong(vector) ? vectorTowards(0, 1) : vector),
  }));

const scaled = (isTooLong: (length: number) => boolean): Sabotage =>
  over((index) => {
    const lengths = new Map<CollectionId, number>();
    return {
      upsert: async (modelId, id, vector) => {
        lengths.set(id, Math.hypot(...vector));
        await index.upsert(modelId, id, vector);
      },
      search: async (query) =>
        (await index.search(query)).map(({ collectionId, score }) => {
          const length = lengths.get(collectionId) ?? 1;
          return { collectionId, score: isTooLong(length) ? score * length : score };
        }),
    };
  });

/** An index that answers the same array of collections from what it knew of it the first time. */
const rememberingRows = (): Sabotage =>
  over((index) => {
    const found = new WeakMap<readonly CollectionId[], readonly VectorMatch[]>();
    return {
      search: async (query) => {
        const matches = found.get(query.among) ?? (await index.search(query));
        found.set(query.among, matches);
        return matches;
      },
    };
  });

const everywhere = (): Sabotage =>
  over((index) => {
    const known = new Set<CollectionId>();
    return {
      upsert: async (modelId, id, vector) => {
        known.add(id);
        await index.upsert(modelId, id, vector);
      },
      search: async (query) => {
        const inside = new Set(query.among);
        const matches = await index.search({ ...query, among: [...new Set([...query.among, ...known])] });
        return matches.filter(({ collectionId }) => inside.has(collectionId));
      },
    };
  });

const sabotages: Sabotages<typeof vectorIndexContract, VectorIndexSubject> = {
  'the best come first, by cosine similarity': onMatches((matches) => matches.toReversed()),
  'all 768 dimensions count': over((index) => ({
    search: (query) =>
      index.search({ ...query, vector: query.vector.map((x, i) => (i < 767 ? x : 0.5)).fill(1, 0, 1) }),
  })),
  'a score below 0 is raised to 0': onMatches((matches) => matches.map((match) => ({ ...match, score: -1 }))),
  'the similarity does not depend on how long a vector is': scaled((length) => length > 1.1),
  'no more than the limit are answered where the scores differ': onQuery((query) => ({
    ...query,
    limit: query.limit + 1,
  })),
  'all that equal the last score within the limit are answered too': onMatches((matches, { limit }) =>
    matches.slice(0, limit),
  ),
  'scores raised to 0 are equal, so a limit that ends among them answers them all': onMatches((matches, { limit }) =>
    matches.filter(({ score }, i) => score > 0 || i < limit),
  ),
  'a limit above what there is answers all there is': onQuery((query) => ({
    ...query,
    limit: query.limit > 1000 ? 1 : query.limit,
  })),
  'only what is among the given collections is answered, and it fills the limit': everywhere(),
  'nothing outside the given collections changes an answer': everywhere(),
  'a collection among the given ones that has no vector is left out': onMatches((matches, { among }) => [
    ...matches,
    ...among
      .filter((id) => !matches.some(({ collectionId }) => collectionId === id))
      .map((collectionId) => ({ collectionId, score: 0 })),
  ]),
  'among no collections nothing is found': over((index, { embeddings }) => {
    let stored: CollectionId | undefined;
    return {
      upsert: async (modelId, id, vector) => {
        stored = id;
        embeddings.put({ modelId, collectionId: id, vector });
        await index.upsert(modelId, id, vector);
      },
      search: (query) => index.search({ ...query, among: query.among.length || !stored ? query.among : [stored] }),
    };
  }),
  'an empty index answers nothing': onMatches((matches, { among }) =>
    matches.length ? matches : among.map((collectionId) => ({ collectionId, score: 0 })),
  ),
  'the vectors of another model influence nothing': over((index) => ({
    upsert: (_modelId, id, vector) => index.upsert('model-1', id, vector),
  })),
  'an upserted vector is found by the next search, with the same array of collections too': rememberingRows(),
  'an upsert takes the place of the earlier vector': over((index) => {
    const known = new Set<CollectionId>();
    return {
      upsert: async (modelId, id, vector) => {
        if (!known.has(id)) {
          known.add(id);
          await index.upsert(modelId, id, vector);
        }
      },
    };
  }),
  'an upsert takes the place of a vector of another model': rememberingRows(),
  'what the caller does to an array after an upsert changes nothing': over((index) => {
    const kept = new Map<CollectionId, Float32Array>();
    return {
      upsert: async (_modelId, id, vector) => {
        kept.set(id, vector);
      },
      search: async (query) => {
        for (const [id, vector] of kept) {
          await index.upsert(query.modelId, id, vector);
        }
        return index.search(query);
      },
    };
  }),
  'a removed vector is found no more, with the same array of collections too': rememberingRows(),
  'what takes the place of a removed vector is not taken for it': over((index) => {
    const moved = new Map<CollectionId, CollectionId>();
    let removed: CollectionId | undefined;
    return {
      remove: async (id) => {
        removed = id;
        await index.remove(id);
      },
      upsert: (modelId, id, vector) => {
        if (removed) {
          moved.set(id, removed);
        }
        return index.upsert(modelId, moved.get(id) ?? id, vector);
      },
    };
  }),
  'removing what is absent is no error': over((index) => {
    const known = new Set<CollectionId>();
    return {
      upsert: async (modelId, id, vector) => {
        known.add(id);
        await index.upsert(modelId, id, vector);
      },
      remove: async (id) => {
        if (!known.delete(id)) {
          throw new Error('absent');
        }
        await index.remove(id);
      },
    };
  }),
  'a vector that has not 768 dimensions is refused, and the earlier one stays': storing(({ length }) => length !== 768),
  'a vector that is not finite, or has no direction, is refused, and the earlier one stays': storing(
    (vector) => !vector.every(Number.isFinite) || vector.every((x) => x === 0),
  ),
  'an answer reflects every embedding up to the sequence that the query names': onQuery((query) => ({
    ...query,
    asOf: query.asOf - 2,
  })),
  'every one of many concurrent searches reflects the sequence that it names': over((index) => {
    let flight: Promise<readonly VectorMatch[]> | undefined;
    return { search: (query) => (flight ??= index.search(query)) };
  }),
  'an upsert that comes late does not hide a later embedding': over((index) => {
    let caughtUp = 0;
    return {
      search: (query) => {
        const asOf = query.asOf > caughtUp ? query.asOf : 0;
        caughtUp = query.asOf;
        return index.search({ ...query, asOf });
      },
    };
  }),
  'each model is caught up by itself': over((index) => {
    let caughtUp = 0;
    return {
      search: (query) => {
        const asOf = query.asOf > caughtUp ? query.asOf : 0;
        caughtUp = query.asOf;
        return index.search({ ...query, asOf });
      },
    };
  }),
  'while the index cannot answer its check rejects, and a search that needs to catch up does too': over((index) => ({
    search: (query) => index.search(query).catch(() => []),
  })),
  'it says what it is': over(() => ({ kind: '' })),
};

for (const [sentence, check] of Object.entries(vectorIndexContract)) {
  const sabotage = sabotages[sentence as keyof typeof vectorIndexContract];
  test(sentence, () => check(createSubject()));
  test(`it is caught where this is broken: ${sentence}`, async () => {
    await expect(check(sabotage(createSubject()))).rejects.toThrow();
  });
}
