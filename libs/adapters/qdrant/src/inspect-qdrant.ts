import type { LivingProcess } from '@portico/dependencies';
import { usualLimits } from './connect.ts';
import { checkVersion, collectionsOf, unfitnessOf } from './generations.ts';
import { createQdrantRoster } from './qdrant-roster.ts';
import { QdrantServer } from './qdrant-server.ts';

export interface InspectedQdrant {
  /** The processes that use it, of all installations. */
  living(): Promise<readonly LivingProcess[]>;
  /** The collections that this installation uses but whose vectors cannot be used, and why. */
  unfit(installation: string): Promise<readonly { readonly name: string; readonly why: string }[]>;
}

export interface QdrantPlace {
  readonly url: string;
  readonly apiKey: string | null;
}

/** Asks without changing anything. Rejects with a `QdrantFailure` if it is away, too old, or refuses the API key. */
export const inspectQdrant = async ({ url, apiKey }: QdrantPlace): Promise<InspectedQdrant> => {
  const server = new QdrantServer(url, apiKey, usualLimits);
  await checkVersion(server);
  // It says its version to everybody.
  await server.aliases();
  return {
    living: () => createQdrantRoster({ url, apiKey }).living(Date.now()),
    async unfit(installation) {
      const { inUse } = await collectionsOf(server, installation);
      const shapes = await Promise.all(
        inUse.map(async (name) => ({ name, why: unfitnessOf(await server.shape(name)) })),
      );
      return shapes.flatMap(({ name, why }) => (why === null ? [] : [{ name, why }]));
    },
  };
};
