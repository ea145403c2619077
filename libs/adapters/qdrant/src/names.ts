import { createHash } from 'node:crypto';

/** What the names of all collections and aliases of an installation begin with. */
export const prefixOf = (installation: string): string => `portico-${installation}-`;

/** Enough to tell the models of an installation apart. */
export const modelDigest = (modelId: string): string => createHash('sha256').update(modelId).digest('hex').slice(0, 8);
