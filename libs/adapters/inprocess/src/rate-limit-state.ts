import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { replaceFile } from '@portico/dependencies';
import type { Instant } from '@portico/domain';

/** What a subject's limiter knew when it was closed. */
export interface SavedSubject {
  readonly subject: string;
  /** The longest window that it was judged by. */
  readonly longestWindowSeconds: number;
  /** As in `AdmissionHistory`. */
  readonly windowSeconds: number | null;
  /** Microseconds of the wall clock, since 1970, in ascending order. */
  readonly times: Float64Array;
  readonly counts: Float64Array;
}

export interface RateLimitState {
  readonly savedAt: Instant;
  readonly subjects: readonly SavedSubject[];
}

/** A file that holds no state that can be used; the message says why, the file's path included. */
export class UnusableState extends Error {}

/** The first line of the file: what it is, and by which layout. A SHA-256 and the state follow. */
const heading = Buffer.from('portico rate limits 1\n');
const digestBytes = 32;
const digestOf = (body: Uint8Array): Buffer => createHash('sha256').update(body).digest();

/** After a crash there is the old state or the new one, whole. Only the owner may read it. */
export const writeRateLimitState = async (path: string, state: RateLimitState): Promise<void> => {
  const body = serialize(state);
  await replaceFile(path, Buffer.concat([heading, digestOf(body), body]));
};

/**
 * Reads the state and removes its file, since after a crash it would be out of date. Returns null where there is none;
 * throws `UnusableState` where a file is torn or is no such file at all, and then leaves one that is not its own.
 */
export const takeRateLimitState = async (path: string): Promise<RateLimitState | null> => {
  const bytes = await readIfThere(path);
  if (!bytes) return null;
  if (!heading.equals(bytes.subarray(0, heading.length))) {
    throw new UnusableState(`${path} holds no rate limits of this version`);
  }
  await rm(path);
  const digest = bytes.subarray(heading.length, heading.length + digestBytes);
  const body = bytes.subarray(heading.length + digestBytes);
  if (!digestOf(body).equals(digest)) throw new UnusableState(`${path} is torn`);
  return deserialize(body) as RateLimitState;
};

const readIfThere = async (path: string): Promise<Buffer | null> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};
