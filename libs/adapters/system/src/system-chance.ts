import { randomBytes, randomUUID } from 'node:crypto';
import type { Chance } from '@portico/domain';

/** The operating system's source of random numbers. */
export const systemChance: Chance = {
  uuid: () => randomUUID(),
  bytes: (count) => randomBytes(count),
};
