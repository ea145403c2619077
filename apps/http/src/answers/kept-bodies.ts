import { LRUCache } from 'lru-cache';

/** Bodies that are ready to be sent, each under a name that is never given to another body. */
export interface KeptBodies {
  get(name: string): Uint8Array | undefined;
  keep(name: string, body: Uint8Array): void;
}

/** What a body takes beside itself: its name, and its place in the list and in the map. */
const entryBytes = 400;

/** They take that many bytes at most: what was not asked for the longest gives way, and a body of more than an eighth of that is not kept. */
export const keepBodies = (bytesMax: number): KeptBodies => {
  const bodies = new LRUCache<string, Uint8Array>({
    maxSize: bytesMax,
    sizeCalculation: (body) => body.length + entryBytes,
  });
  return {
    get: (name) => bodies.get(name),
    keep: (name, body) => {
      if (body.length + entryBytes > bytesMax / 8) return;
      // A copy of its own: a part of a larger buffer would keep the whole of it alive.
      bodies.set(name, new Uint8Array(body));
    },
  };
};
