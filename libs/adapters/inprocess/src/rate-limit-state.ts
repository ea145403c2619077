import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { replaceFile } from '@portico/dependencies';
import type { Instant } from '@portico/domain';
import type { SavedHistory } from './admission-history.ts';

/** The state of a subject when the limiter was closed. Times are microseconds of the wall clock since 1970. */
export interface SavedSubject extends SavedHistory {
  readonly subject: string;
  /** The longest window ever applied to the subject. */
  readonly longestWindowSeconds: number;
}

export interface RateLimitState {
  readonly savedAt: Instant;
  readonly subjects: readonly SavedSubject[];
}

/** Thrown if the file contains no usable state. The message contains the file's path and the reason. */
export class UnusableState extends Error {}

/** The first line of the file: its type and layout version. A SHA-256 and the state follow. */
const header = Buffer.from('portico rate limits 2\n');
const digestBytes = 32;
const digestOf = (body: Uint8Array): Buffer => createHash('sha256').update(body).digest();

/**
 * Writes the state atomically: after a crash, the file contains either the old state or the new one. Only its owner can
 * read it.
 */
export const writeRateLimitState = async (path: string, state: RateLimitState): Promise<void> => {
  const body = serialize(state);
  await replaceFile(path, Buffer.concat([header, digestOf(body), body]));
};

/**
 * Reads the state and removes the file, which would be out of date after a crash. Returns null if there is no file.
 * Throws `UnusableState` if the file is corrupt or is not a state file; in the latter case, the file is not removed.
 */
export const takeRateLimitState = async (path: string): Promise<RateLimitState | null> => {
  const bytes = await readIfExists(path);
  if (!bytes) return null;
  if (!header.equals(bytes.subarray(0, header.length))) {
    throw new UnusableState(`${path} does not contain rate limits of this version`);
  }
  await rm(path);
  const digest = bytes.subarray(header.length, header.length + digestBytes);
  const body = bytes.subarray(header.length + digestBytes);
  if (!digestOf(body).equals(digest)) throw new UnusableState(`${path} is corrupt`);
  return deserialize(body) as RateLimitState;
};

const readIfExists = async (path: string): Promise<Buffer | null> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};
