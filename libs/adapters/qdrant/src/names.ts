import { createHash } from 'node:crypto';

/** Returns the prefix of the names of an installation's collections and aliases. */
export const prefixOf = (installation: string): string => `portico-${installation}-`;

/** Returns a digest of the model id that is long enough to distinguish an installation's models. */
export const modelDigestOf = (modelId: string): string =>
  createHash('sha256').update(modelId).digest('hex').slice(0, 8);
