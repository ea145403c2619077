import type { CollectionId } from '../ids.ts';
import type { Ports } from '../ports/index.ts';

type Needs = Pick<Ports, 'collections' | 'embeddings' | 'embedder' | 'vectors'>;

/**
 * Brings the embedding and the index in line with the collection as it is now: made anew where it exists, removed where
 * it does not. A result for a text that has changed meanwhile is dropped; the change left a job of its own.
 */
export const embedCollection = async (
  { collections, embeddings, embedder, vectors }: Needs,
  id: CollectionId,
): Promise<void> => {
  const collection = await collections.find(id);
  if (!collection) return vectors.remove(id);
  const modelId = await embedder.modelId();
  const [vector] = await embedder.embed([embeddedText(collection)], 'document');
  if (!vector) throw new Error('The embedder answered no vector');
  const stored = await embeddings.put({
    collectionId: id,
    modelId,
    contentRevision: collection.contentRevision,
    vector,
  });
  if (stored) await vectors.upsert(modelId, id, vector);
};

/** What is embedded of a collection: its name as the first line, then its description. */
export const embeddedText = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  description ? `${name}\n${description}` : name;
