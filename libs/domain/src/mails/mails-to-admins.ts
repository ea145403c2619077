import type { Expiry } from '../grants/expiry.ts';
import { minuteOf } from '../instant.ts';
import { shortLine } from '../line.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';
import type { PendingRequests, WaitingRequest } from '../requests/access-request.ts';
import { type Letterhead, type Mail, mailTo, type Part, type Recipient } from './mail.ts';
import { endFacts, moreParts, nameOfEnd } from './mails-to-clients.ts';

/** The minimum time between two notices to one admin about who waits. */
export const noticeRestMs = 300_000;

/** The notice to an admin of who waits for a decision: registrations and requests for access, the newest of them by name. */
export const waitingNotice = (
  head: Letterhead,
  to: Recipient,
  registrations: PendingProfiles,
  requests: PendingRequests,
): Mail => {
  const counts = [
    ...counted(registrations.total, 'registration'),
    ...counted(requests.total, 'request for access', 'requests for access'),
  ];
  const [only] = counts;
  return mailTo(to, head, {
    name: 'waiting',
    subject:
      counts.length === 1 && only
        ? `${only.count === 1 ? capital(only.what) : `${only.count} ${only.what}`} waiting for approval`
        : `${registrations.total + requests.total} decisions are waiting`,
    parts: [
      ...registrationParts(registrations),
      ...requestParts(requests),
      `The next notice comes in ${noticeRestMs / 60_000} minutes at the earliest, and only if somebody has registered or asked by then.`,
    ],
    facts: {
      registrations_total: registrations.total,
      registrations: registrations.newest.map(registrationFacts),
      requests_total: requests.total,
      requests: requests.newest.map(requestFacts),
    },
  });
};

/** The day's notice to an admin of what ends soon, the first to end first. */
export const expiriesNotice = (head: Letterhead, to: Recipient, ends: readonly Expiry[], total: number): Mail =>
  mailTo(to, head, {
    name: 'expiries',
    subject: total === 1 ? 'One right ends soon' : `${total} rights end soon`,
    parts: [
      'these grants and API keys end within 30 days:',
      ends.map((end) => `${minuteOf(end.expiresAt)}  ${shortLine(end.email, emailMax)}  ${nameOfEnd(end)}`),
      ...moreParts(ends.length, total),
      [
        'extend a grant: PUT /api/access/clients/{client}/collections/{collection} {"expires_at": "…"}',
        'extend a key:   PUT /api/profiles/{id}/credentials {"expires_at": "…"}',
        'list them all:  GET /api/access/matrix?expiring_before=…',
      ],
      'Such a notice comes at most once a day.',
    ],
    facts: { total, ends: ends.map((end) => ({ profile: end.email, ...endFacts(end) })) },
  });

const counted = (count: number, one: string, many = `${one}s`) =>
  count === 0 ? [] : [{ count, what: count === 1 ? one : many }];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const registrationParts = ({ total, newest }: PendingProfiles): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a registration is waiting' : `${total} registrations are waiting`} for an administrator's decision${newestOnly(total, newest.length)}:`,
        newest.map(registrationLine),
        'Names and addresses are as they were typed: nobody has checked them.',
        [
          'approve:  POST /api/profiles/{id}/approve',
          'reject:   POST /api/profiles/{id}/reject',
          'list all: GET /api/profiles/?registration_status=pending',
        ],
      ];

const requestParts = ({ total, newest }: PendingRequests): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a request for access is waiting' : `${total} requests for access are waiting`} for an administrator's decision${newestOnly(total, newest.length)}:`,
        newest.map(requestLine),
        [
          'approve:  POST /api/access/requests/{id}/approve',
          'deny:     POST /api/access/requests/{id}/deny',
          'list all: GET /api/access/requests?status=pending',
        ],
      ];

const newestOnly = (total: number, shown: number): string => (total > shown ? `; these are the newest ${shown}` : '');

const registrationLine = ({ id, email, fullName, companyName, createdAt }: Profile): string => {
  const company = companyName === null ? '' : `, "${shortLine(companyName, shownMax)}"`;
  return `${minuteOf(createdAt)}  ${id}  ${shortLine(email, emailMax)}  "${shortLine(fullName, shownMax)}"${company}`;
};

const registrationFacts = ({ id, email, fullName, companyName, createdAt }: Profile) => ({
  id,
  email,
  full_name: fullName,
  company_name: companyName,
  registered_at: minuteOf(createdAt),
});

const requestLine = ({ id, email, collection, reason, durationDays, createdAt }: WaitingRequest): string => {
  const duration = durationDays === null ? '' : `, for ${durationDays} ${durationDays === 1 ? 'day' : 'days'}`;
  return `${minuteOf(createdAt)}  ${id}  ${shortLine(email, emailMax)}  "${shortLine(collection, shownMax)}"${duration}: "${shortLine(reason, shownMax)}"`;
};

const requestFacts = ({ id, email, collection, reason, durationDays, createdAt }: WaitingRequest) => ({
  id,
  email,
  collection,
  reason,
  duration_days: durationDays,
  asked_at: minuteOf(createdAt),
});

/** How much of a name is shown, in UTF-16 units: enough to recognise it. An address is shown whole. */
const [shownMax, emailMax] = [80, 254];
