/**
 * Keeps bytes for a while. Keys name what cannot change (a digest) or carry an epoch that was read from the database
 * with the request, so that nothing stale can be found.
 */
export interface Cache {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, value: Uint8Array): Promise<void>;
}
