import { randomBytes, randomUUID } from 'node:crypto';
import type { RandomSource } from '@portico/domain';

/** The operating system's source of random numbers. */
export const systemRandomSource: RandomSource = {
  uuid: () => randomUUID(),
  bytes: (count) => randomBytes(count),
};
