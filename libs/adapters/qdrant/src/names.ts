import { createHash } from 'node:crypto';

/** The prefix of the names of all collections and aliases of an installation. */
export const prefixOf = (installation: string): string => `portico-${installation}-`;

/** Long enough to distinguish the models of an installation. */
export const modelDigest = (modelId: string): string => createHash('sha256').update(modelId).digest('hex').slice(0, 8);
