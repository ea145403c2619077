import type { JobId, Ports, ProfileId } from '@portico/domain';

/** Adds a dead letter directly to the store: an email to that profile. Returns the job's id. */
export const addDeadLetterIn =
  ({ embeddingJobs, outbox, random, clock }: Pick<Ports, 'embeddingJobs' | 'outbox' | 'random' | 'clock'>) =>
  async (profile: string): Promise<string> => {
    const id = random.uuid() as JobId;
    const now = clock.now();
    const task = { kind: 'mail.resumption', profileId: profile as ProfileId } as const;
    await embeddingJobs.enqueue({ jobs: [{ id, task, group: null, dueAt: now }], deadline: null });
    await outbox.deadLetter(id, now, 'The mailbox is full');
    return id;
  };
