import { dayMs } from '../../instant.ts';
import { dayOf } from '../../usage/usage.ts';
import { noticeDays } from '../../grants/expiry.ts';
import type { Ports } from '../../ports/index.ts';
import { prepareEvent } from '../webhooks/create-event-jobs.ts';
import { grantExpiringDataOf } from '../webhooks/event-data.ts';
import { createExpiryMailJobs, findNoticeRecipients, type NoticeSettings } from './mail-jobs.ts';

/** The maximum number of expiries in an event, as in an email. */
const expiriesMax = 50;

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'expiries' | 'profiles' | 'mailer' | 'webhooks'>;

/**
 * Once a day, notifies each client that has something that expires 30, 7 or 1 days later, and notifies the admins and
 * the webhooks if there is any such client. Catches up on days when no process ran. Does nothing if neither emails are
 * sent nor a webhook receives the event. Returns whether this call processed the day.
 */
export const sendExpiryNotices = (ports: RequiredPorts, settings: NoticeSettings) => async (): Promise<boolean> => {
  const createEventJobs = await prepareEvent(ports, 'grant.expiring');
  const isSubscribed = createEventJobs({}).length > 0;
  if (!ports.mailer.enabled && !isSubscribed) return false;
  const now = ports.clock.now();
  const admins = await findNoticeRecipients(ports, settings);
  const period = { after: now, until: now + Math.max(...noticeDays) * dayMs };
  const expiries = isSubscribed ? await ports.expiries.listAll(period, expiriesMax) : { total: 0, expiries: [] };
  return ports.expiries.scheduleNotices(dayOf(now), noticeDays, now, (clients) => ({
    jobs:
      clients.length === 0
        ? []
        : [
            ...(ports.mailer.enabled ? createExpiryMailJobs(ports, clients, admins) : []),
            ...createEventJobs(grantExpiringDataOf(expiries)),
          ],
    deadline: null,
  }));
};
