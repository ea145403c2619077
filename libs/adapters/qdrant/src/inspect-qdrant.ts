import { usualLimits } from './connect.ts';
import { checkVersion, collectionsOf, unfitnessOf } from './generations.ts';
import { QdrantServer } from './qdrant-server.ts';

export interface InspectedQdrant {
  /** The collections in use whose vectors cannot be used, and why. */
  readonly unfit: readonly { readonly name: string; readonly why: string }[];
}

export interface QdrantPlace {
  readonly url: string;
  readonly apiKey: string | null;
  /** The prefix of its collections; `portico` by default. */
  readonly name?: string;
}

/** Asks without changing anything. Rejects with a `QdrantFailure` if it is away, too old, or refuses the API key. */
export const inspectQdrant = async ({ url, apiKey, name = 'portico' }: QdrantPlace): Promise<InspectedQdrant> => {
  const server = new QdrantServer(url, apiKey, usualLimits);
  await checkVersion(server);
  const { inUse } = await collectionsOf(server, name);
  const shapes = await Promise.all(
    inUse.map(async (each) => ({ name: each, why: unfitnessOf(await server.shape(each)) })),
  );
  return { unfit: shapes.flatMap(({ name: each, why }) => (why === null ? [] : [{ name: each, why }])) };
};
