import type { JobKind } from '@portico/domain';

/**
 * The number of jobs of each kind that a process runs concurrently. Each kind has its own limit, so that a hanging mail
 * server delays no embedding, and a slow Ollama delays no mail.
 */
export const jobConcurrency: Readonly<Record<JobKind, number>> = {
  'mail.credentials': 4,
  'mail.rotation': 2,
  'mail.rejection': 2,
  'mail.suspension': 2,
  'mail.resumption': 2,
  'mail.request': 2,
  'mail.call': 2,
  'mail.expiry': 2,
  'mail.expiries': 2,
  'mail.notice': 2,
  // As many as the way out has in flight for one webhook.
  webhook: 4,
  embed: 8,
  operations: 1,
};

/**
 * The number of embedding jobs that all processes together (or, without Redis, one process) run concurrently with
 * Ollama. Ollama handles one text at a time, and with more documents, some would wait past the embedder's timeout. One
 * job reads and stores while Ollama computes the other.
 */
export const sharedEmbedConcurrency = 2;

/** The corresponding number for the operations of collections if Ollama embeds them: they have the lowest priority. */
export const sharedOperationConcurrency = 1;
