import { dayOf } from '../../usage/usage.ts';
import { noticeDays } from '../../grants/expiry.ts';
import type { Ports } from '../../ports/index.ts';
import { createExpiryMailJobs, findNoticeRecipients, type NoticeSettings } from './mail-jobs.ts';

/**
 * Once a day, notifies each client that has something that expires 30, 7 or 1 days later, and notifies the admins if
 * there is any such client. Catches up on days when no process ran. Returns whether this call processed the day.
 */
export const sendExpiryNotices =
  (ports: Pick<Ports, 'clock' | 'random' | 'expiries' | 'profiles' | 'mailer'>, settings: NoticeSettings) =>
  async (): Promise<boolean> => {
    if (!ports.mailer.enabled) return false;
    const now = ports.clock.now();
    const admins = await findNoticeRecipients(ports, settings);
    return ports.expiries.scheduleNotices(dayOf(now), noticeDays, now, (clients) => ({
      jobs: clients.length === 0 ? [] : createExpiryMailJobs(ports, clients, admins),
      deadline: null,
    }));
  };
