import { randomBytes, randomUUID } from 'node:crypto';
import type { RandomSource } from '@portico/domain';

/** The operating system's random number generator. */
export const systemRandomSource: RandomSource = {
  uuid: () => randomUUID(),
  bytes: (count) => randomBytes(count),
};
