import type { JobKind } from '@portico/domain';

/**
 * How many jobs of each kind a process works at once. A number of its own each: a mail server that hangs holds up no embedding,
 * and a slow Ollama no mail. Texts that are asked for at once fill Ollama's requests; still more of them would wait there for
 * longer than the embedder may, where a text takes it two seconds.
 */
export const jobsAtOnce: Readonly<Record<JobKind, number>> = {
  'mail.credentials': 4,
  'mail.rotation': 2,
  'mail.rejection': 2,
  'mail.notice': 2,
  embed: 8,
};

/**
 * How many embeddings all processes together work at once where Ollama makes them: it works one text at a time, and searches wait
 * behind what it has been sent. The second is read and stored while the first is made.
 */
export const embeddingsTogether = 2;
