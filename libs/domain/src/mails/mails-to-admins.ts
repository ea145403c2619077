import type { ListedCall, WaitingCalls } from '../calls/pending-call.ts';
import type { Expiry } from '../grants/expiry.ts';
import { formatMinute } from '../instant.ts';
import { toShortLine } from '../line.ts';
import type { PendingProfiles, Profile } from '../profiles/profile.ts';
import type { PendingRequests, PendingRequest } from '../requests/access-request.ts';
import { type Letterhead, type Mail, composeMail, consoleUrlOf, type Part, type Recipient } from './mail.ts';
import { expiryDataOf, remainderNoteFor, describeExpiry } from './mails-to-clients.ts';

/** The minimum time between two notices about pending decisions to the same admin. */
export const noticeRestMs = 300_000;

/**
 * Composes the notice to an admin about pending decisions: registrations, access requests and calls, the newest in detail.
 * The arguments of calls are shown only in the console and by the API.
 */
export const composePendingNotice = (
  head: Letterhead,
  to: Recipient,
  registrations: PendingProfiles,
  requests: PendingRequests,
  calls: WaitingCalls,
): Mail => {
  const counts = [
    ...toCountWithNoun(registrations.total, 'registration'),
    ...toCountWithNoun(requests.total, 'request for access', 'requests for access'),
    ...toCountWithNoun(calls.total, 'call'),
  ];
  const [onlyCount] = counts;
  return composeMail(to, head, {
    name: 'waiting',
    subject:
      counts.length === 1 && onlyCount
        ? `${onlyCount.count === 1 ? capitalise(onlyCount.noun) : `${onlyCount.count} ${onlyCount.noun}`} waiting for approval`
        : `${registrations.total + requests.total + calls.total} decisions are waiting`,
    parts: [
      ...registrationPartsOf(registrations),
      ...requestPartsOf(requests),
      ...callPartsOf(calls, head),
      `The next notice is sent in ${noticeRestMs / 60_000} minutes at the earliest, and only if there are new registrations, requests or calls.`,
    ],
    data: {
      registrations_total: registrations.total,
      registrations: registrations.newest.map(registrationDataOf),
      requests_total: requests.total,
      requests: requests.newest.map(requestDataOf),
      calls_total: calls.total,
      calls: calls.newest.map(callDataOf),
    },
  });
};

/** Composes the daily notice to an admin about upcoming expiries, earliest first. */
export const composeExpiriesNotice = (
  head: Letterhead,
  to: Recipient,
  expiries: readonly Expiry[],
  total: number,
): Mail =>
  composeMail(to, head, {
    name: 'expiries',
    subject: total === 1 ? 'One grant or API key expires soon' : `${total} grants or API keys expire soon`,
    parts: [
      'these grants and API keys expire within 30 days:',
      expiries.map(
        (expiry) =>
          `${formatMinute(expiry.expiresAt)}  ${toShortLine(expiry.email, emailMax)}  ${describeExpiry(expiry)}`,
      ),
      ...remainderNoteFor(expiries.length, total),
      [
        'extend a grant: PUT /api/access/clients/{client}/collections/{collection} {"expires_at": "…"}',
        'extend a key:   PUT /api/profiles/{id}/credentials {"expires_at": "…"}',
        'list them all:  GET /api/access/matrix?expiring_before=…',
      ],
      'This notice is sent at most once a day.',
    ],
    data: { total, ends: expiries.map((expiry) => ({ profile: expiry.email, ...expiryDataOf(expiry) })) },
  });

const toCountWithNoun = (count: number, singular: string, plural = `${singular}s`) =>
  count === 0 ? [] : [{ count, noun: count === 1 ? singular : plural }];

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const registrationPartsOf = ({ total, newest }: PendingProfiles): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a registration is waiting' : `${total} registrations are waiting`} for an administrator's decision${newestNoteFor(total, newest.length)}:`,
        newest.map(formatRegistration),
        'Names and addresses are as entered and have not been verified.',
        [
          'approve:  POST /api/profiles/{id}/approve',
          'reject:   POST /api/profiles/{id}/reject',
          'list all: GET /api/profiles/?registration_status=pending',
        ],
      ];

const requestPartsOf = ({ total, newest }: PendingRequests): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a request for access is waiting' : `${total} requests for access are waiting`} for an administrator's decision${newestNoteFor(total, newest.length)}:`,
        newest.map(formatRequest),
        [
          'approve:  POST /api/access/requests/{id}/approve',
          'deny:     POST /api/access/requests/{id}/deny',
          'list all: GET /api/access/requests?status=pending',
        ],
      ];

const callPartsOf = ({ total, newest }: WaitingCalls, { serviceUrl }: Letterhead): readonly Part[] =>
  total === 0
    ? []
    : [
        `${total === 1 ? 'a call is waiting' : `${total} calls are waiting`} for an administrator's decision, for one hour each${newestNoteFor(total, newest.length)}:`,
        newest.map(formatCall),
        [
          ...(serviceUrl === null ? [] : [`console:  ${consoleUrlOf(serviceUrl)}access/calls`]),
          'approve:  POST /api/calls/{id}/approve',
          'deny:     POST /api/calls/{id}/deny',
          'list all: GET /api/calls?status=waiting',
        ],
      ];

const newestNoteFor = (total: number, listedCount: number): string =>
  total > listedCount ? `; these are the newest ${listedCount}` : '';

const formatRegistration = ({ id, email, fullName, companyName, createdAt }: Profile): string => {
  const company = companyName === null ? '' : `, "${toShortLine(companyName, nameMax)}"`;
  return `${formatMinute(createdAt)}  ${id}  ${toShortLine(email, emailMax)}  "${toShortLine(fullName, nameMax)}"${company}`;
};

const registrationDataOf = ({ id, email, fullName, companyName, createdAt }: Profile) => ({
  id,
  email,
  full_name: fullName,
  company_name: companyName,
  registered_at: formatMinute(createdAt),
});

const formatRequest = ({ id, email, collection, reason, durationDays, createdAt }: PendingRequest): string => {
  const duration = durationDays === null ? '' : `, for ${durationDays} ${durationDays === 1 ? 'day' : 'days'}`;
  return `${formatMinute(createdAt)}  ${id}  ${toShortLine(email, emailMax)}  "${toShortLine(collection, nameMax)}"${duration}: "${toShortLine(reason, nameMax)}"`;
};

const requestDataOf = ({ id, email, collection, reason, durationDays, createdAt }: PendingRequest) => ({
  id,
  email,
  collection,
  reason,
  duration_days: durationDays,
  asked_at: formatMinute(createdAt),
});

const formatCall = ({ id, email, collectionName, method, path, requestedAt }: ListedCall): string =>
  `${formatMinute(requestedAt)}  ${id}  ${toShortLine(email, emailMax)}  "${toShortLine(collectionName, nameMax)}"  ${method} ${toShortLine(path, pathMax)}`;

const callDataOf = ({ id, email, collectionName, method, path, requestedAt, expiresAt }: ListedCall) => ({
  id,
  email,
  collection: collectionName,
  method,
  path,
  asked_at: formatMinute(requestedAt),
  expires_at: formatMinute(expiresAt),
});

/** The maximum length of a displayed name, in UTF-16 units: enough to recognise it. An email address is displayed in full. */
const [nameMax, emailMax, pathMax] = [80, 254, 200];
