import type { Expiry } from '../grants/expiry.ts';
import { formatMinute } from '../instant.ts';
import { shortLine } from '../line.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';
import type { PendingRequests, PendingRequest } from '../requests/access-request.ts';
import { type Letterhead, type Mail, composeMail, type Part, type Recipient } from './mail.ts';
import { expiryFacts, moreParts, describeExpiry } from './mails-to-clients.ts';

/** The minimum time between two notices about pending decisions to the same admin. */
export const noticeRestMs = 300_000;

/** Composes the notice to an admin about pending decisions: registrations and access requests, the newest in detail. */
export const pendingNotice = (
  head: Letterhead,
  to: Recipient,
  registrations: PendingProfiles,
  requests: PendingRequests,
): Mail => {
  const counts = [
    ...countWithNoun(registrations.total, 'registration'),
    ...countWithNoun(requests.total, 'request for access', 'requests for access'),
  ];
  const [only] = counts;
  return composeMail(to, head, {
    name: 'waiting',
    subject:
      counts.length === 1 && only
        ? `${only.count === 1 ? capital(only.what) : `${only.count} ${only.what}`} waiting for approval`
        : `${registrations.total + requests.total} decisions are waiting`,
    parts: [
      ...registrationParts(registrations),
      ...requestParts(requests),
      `The next notice comes in ${noticeRestMs / 60_000} minutes at the earliest, and only if there are new registrations or requests by then.`,
    ],
    facts: {
      registrations_total: registrations.total,
      registrations: registrations.newest.map(registrationFacts),
      requests_total: requests.total,
      requests: requests.newest.map(requestFacts),
    },
  });
};

/** Composes the daily notice to an admin about upcoming expiries, earliest first. */
export const expiriesNotice = (head: Letterhead, to: Recipient, expiries: readonly Expiry[], total: number): Mail =>
  composeMail(to, head, {
    name: 'expiries',
    subject: total === 1 ? 'One grant or API key expires soon' : `${total} grants or API keys expire soon`,
    parts: [
      'these grants and API keys expire within 30 days:',
      expiries.map(
        (expiry) =>
          `${formatMinute(expiry.expiresAt)}  ${shortLine(expiry.email, emailMax)}  ${describeExpiry(expiry)}`,
      ),
      ...moreParts(expiries.length, total),
      [
        'extend a grant: PUT /api/access/clients/{client}/collections/{collection} {"expires_at": "…"}',
        'extend a key:   PUT /api/profiles/{id}/credentials {"expires_at": "…"}',
        'list them all:  GET /api/access/matrix?expiring_before=…',
      ],
      'Such a notice comes at most once a day.',
    ],
    facts: { total, ends: expiries.map((expiry) => ({ profile: expiry.email, ...expiryFacts(expiry) })) },
  });

const countWithNoun = (count: number, one: string, many = `${one}s`) =>
  count === 0 ? [] : [{ count, what: count === 1 ? one : many }];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const registrationParts = ({ total, newest }: PendingProfiles): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a registration is waiting' : `${total} registrations are waiting`} for an administrator's decision${newestOnly(total, newest.length)}:`,
        newest.map(registrationLine),
        'Names and addresses are as entered and have not been verified.',
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

const newestOnly = (total: number, listed: number): string =>
  total > listed ? `; these are the newest ${listed}` : '';

const registrationLine = ({ id, email, fullName, companyName, createdAt }: Profile): string => {
  const company = companyName === null ? '' : `, "${shortLine(companyName, nameMax)}"`;
  return `${formatMinute(createdAt)}  ${id}  ${shortLine(email, emailMax)}  "${shortLine(fullName, nameMax)}"${company}`;
};

const registrationFacts = ({ id, email, fullName, companyName, createdAt }: Profile) => ({
  id,
  email,
  full_name: fullName,
  company_name: companyName,
  registered_at: formatMinute(createdAt),
});

const requestLine = ({ id, email, collection, reason, durationDays, createdAt }: PendingRequest): string => {
  const duration = durationDays === null ? '' : `, for ${durationDays} ${durationDays === 1 ? 'day' : 'days'}`;
  return `${formatMinute(createdAt)}  ${id}  ${shortLine(email, emailMax)}  "${shortLine(collection, nameMax)}"${duration}: "${shortLine(reason, nameMax)}"`;
};

const requestFacts = ({ id, email, collection, reason, durationDays, createdAt }: PendingRequest) => ({
  id,
  email,
  collection,
  reason,
  duration_days: durationDays,
  asked_at: formatMinute(createdAt),
});

/** The maximum length of a displayed name, in UTF-16 units: enough to recognise it. An address is displayed whole. */
const [nameMax, emailMax] = [80, 254];
