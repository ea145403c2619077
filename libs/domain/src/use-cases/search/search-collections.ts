import type { Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';
import { createRememberedQueries } from './remembered-queries.ts';
import { servingEmbedder } from './serving-embedder.ts';
import { createKnownNames } from './known-names.ts';
import type { Seeing } from './visible-sets.ts';
import type { EmbeddedTexts } from '../../search/embedding.ts';
import { rank, type SearchAnswer } from '../../search/search-result.ts';
import type { Counting } from '../../usage/usage-counter.ts';

type Needs = Seeing & Pick<Ports, 'collections' | 'embedder' | 'earlierEmbedders' | 'vectors'>;

/**
 * Returns the nearest of the collections that the caller may see, best first. Hidden collections influence neither
 * results nor scores, because they are left out before anything is ranked. The query is embedded by the model that all
 * processes search with. If this process does not have it, as after a change of the model on an Ollama server, it uses
 * its current one, and finds what is embedded with that already. Queries are remembered with their vectors.
 */
export const searchCollections = (ports: Needs & Counting) => {
  const search = createSearch(ports);
  return async (principal: Principal, query: string, limit: number): Promise<SearchAnswer> => {
    const answer = await search(principal, query, limit);
    ports.uses.count(principal, 'search', null);
    return answer;
  };
};

const createSearch = (ports: Needs) => {
  const knownNames = createKnownNames(ports);
  const remembered = createRememberedQueries<EmbeddedTexts>(({ vectors }) => vectors[0]?.byteLength ?? 0);
  return async (principal: Principal, query: string, limit: number): Promise<SearchAnswer> => {
    const among = await ports.visibleSets(principal);
    if (among.length === 0) return { results: [], isFallback: false };
    const { searchModel } = principal.epochs;
    const { modelId, vectors } = await remembered(searchModel, query, async () =>
      (await servingEmbedder(ports, searchModel)).embed([query], 'query'),
    );
    const [vector] = vectors;
    if (!vector) throw new PorticoError('embedding_unavailable');
    const asOf = principal.epochs.embeddings;
    const { matches, isFallback } = await ports.vectors.search({ modelId, vector, among, limit, asOf });
    const found = matches.map(({ collectionId }) => collectionId);
    const names = await knownNames(found, principal.epochs.catalog);
    return { results: rank(matches, names).slice(0, limit), isFallback };
  };
};
