import type { JobKind } from '@portico/domain';

/**
 * How many jobs of each kind a process runs at once. Each kind has its own limit: a hanging mail server delays no
 * embedding, a slow Ollama no mail.
 */
export const jobsAtOnce: Readonly<Record<JobKind, number>> = {
  'mail.credentials': 4,
  'mail.rotation': 2,
  'mail.rejection': 2,
  'mail.suspension': 2,
  'mail.resumption': 2,
  'mail.request': 2,
  'mail.expiry': 2,
  'mail.expiries': 2,
  'mail.notice': 2,
  embed: 8,
  operations: 1,
};

/**
 * How many embedding jobs all processes together run at once with Ollama, or one process without Redis. It handles one
 * text at a time, and with more documents at once some would wait past the embedder's timeout; one job reads and stores
 * while the other is computed.
 */
export const embeddingsTogether = 2;

/** The same for the operations of collections, if Ollama embeds them: they are behind everything else. */
export const operationsTogether = 1;
