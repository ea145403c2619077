import type { LiveProcess } from '@portico/dependencies';
import { defaultLimits } from './connect.ts';
import { checkVersion, collectionsOf, findShapeProblem } from './generations.ts';
import { createQdrantRoster } from './qdrant-roster.ts';
import { QdrantServer } from './qdrant-server.ts';

export interface InspectedQdrant {
  /** Returns the live processes of all installations that use this Qdrant. */
  listLiveProcesses(): Promise<readonly LiveProcess[]>;
  /** Returns the collections in use by this installation whose vectors are unusable, each with the reason. */
  listUnusableCollections(installation: string): Promise<readonly { readonly name: string; readonly reason: string }[]>;
}

export interface QdrantAddress {
  readonly url: string;
  readonly apiKey: string | null;
}

/**
 * Inspects Qdrant without writing to it. Rejects with a `QdrantFailure` if Qdrant is unavailable or too old, or rejects
 * the API key.
 */
export const inspectQdrant = async ({ url, apiKey }: QdrantAddress): Promise<InspectedQdrant> => {
  const server = new QdrantServer(url, apiKey, defaultLimits);
  await checkVersion(server);
  // Anyone can read the version, so only this request proves that the API key is valid.
  await server.readAliases();
  return {
    listLiveProcesses: () => createQdrantRoster({ url, apiKey }).listLiveProcesses(Date.now()),
    async listUnusableCollections(installation) {
      const { namesInUse } = await collectionsOf(server, installation);
      const shapes = await Promise.all(
        namesInUse.map(async (name) => ({ name, reason: findShapeProblem(await server.readShape(name)) })),
      );
      return shapes.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]));
    },
  };
};
