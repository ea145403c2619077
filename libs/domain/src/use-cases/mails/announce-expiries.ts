import { dayOf } from '../../usage/usage.ts';
import { noticeDays } from '../../grants/expiry.ts';
import type { Ports } from '../../ports/index.ts';
import { expiryMailJobs, noticedAdmins, type NoticeSettings } from './mail-jobs.ts';

/**
 * Once a day: tells each client of which something ends 30, 7 or 1 days later, and the admins if there is any. A day on
 * which no process ran is made up for. Returns whether this call announced the day.
 */
export const announceExpiries =
  (ports: Pick<Ports, 'clock' | 'random' | 'expiries' | 'profiles' | 'mailer'>, settings: NoticeSettings) =>
  async (): Promise<boolean> => {
    if (!ports.mailer.enabled) return false;
    const now = ports.clock.now();
    const admins = await noticedAdmins(ports, settings);
    return ports.expiries.announce(dayOf(now), noticeDays, now, (clients) => ({
      jobs: clients.length === 0 ? [] : expiryMailJobs(ports, clients, admins),
      deadline: null,
    }));
  };
