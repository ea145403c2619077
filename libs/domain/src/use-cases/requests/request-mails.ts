import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { noticeJobs, type NoticeSettings } from '../mails/mail-jobs.ts';

/** Jobs that tell the admins that somebody asks for access; none if they are not told by mail. */
export const askedJobs = (
  ports: Pick<Ports, 'clock' | 'random' | 'profiles' | 'mailer'>,
  settings: NoticeSettings,
): Promise<readonly NewJob[]> => noticeJobs(ports, settings);

/** Jobs that tell the asker what became of its request. Nobody is told so far: the asker reads it. */
export const decidedJobs: (
  ports: Pick<Ports, 'clock' | 'random' | 'mailer'>,
  request: AccessRequest,
  collectionName: string,
) => readonly NewJob[] = () => [];
