import type { JobId, ProfileId } from '../ids.ts';
import type { Credentials } from '../profiles/credentials.ts';
import type { NewJob, Ports } from '../ports/index.ts';

type Needs = Pick<Ports, 'clock' | 'chance' | 'vault'>;

/** A job that mails the credentials; they wait sealed, for this job alone. */
export const credentialsMailJob = (
  { clock, chance, vault }: Needs,
  profileId: ProfileId,
  credentials: Credentials,
): NewJob => {
  const id = chance.uuid() as JobId;
  const sealed = vault.seal(JSON.stringify(credentials), sealingContext(id));
  return { id, task: { kind: 'mail.credentials', profileId, sealed }, group: null, dueAt: clock.now() };
};

/** Throws where they were sealed for another job, or by a key that is not configured. */
export const openCredentials = (vault: Ports['vault'], jobId: JobId, sealed: string): Credentials =>
  JSON.parse(vault.open(sealed, sealingContext(jobId))) as Credentials;

/** What a job has sealed, sealed by the key that seals now; null where it is. */
export const resealedMail = (vault: Ports['vault'], jobId: JobId, sealed: string): string | null => {
  if (vault.isCurrent(sealed)) return null;
  const context = sealingContext(jobId);
  return vault.seal(vault.open(sealed, context), context);
};

/** A job that mails the notice. The reason, null where none was given, waits unsealed. */
export const rejectionMailJob = (
  { clock, chance }: Omit<Needs, 'vault'>,
  profileId: ProfileId,
  reason: string | null,
): NewJob => ({
  id: chance.uuid() as JobId,
  task: { kind: 'mail.rejection', profileId, reason },
  group: null,
  dueAt: clock.now(),
});

const sealingContext = (jobId: JobId): string => `outbox:${jobId}`;
