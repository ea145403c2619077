import { useRead } from '../../api/use-call.ts';
import { Moment } from '../../parts/moment.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import type { AccessRequest } from './access-request.ts';

const text = words.access.requests;

export const nameOf = ({ profile_name: requester, collection_name: api }: AccessRequest): string =>
  text.name(requester, api ?? text.hiddenApi);

const kinds = { pending: 'waiting', approved: 'good', denied: 'bad', withdrawn: 'quiet', granted: 'good' } as const;

export const StateBadge = ({ status }: Pick<AccessRequest, 'status'>) => (
  <StatusBadge kind={kinds[status]}>{text.states[status]}</StatusBadge>
);

/** All details of a request. */
export const RequestDetails = ({ request }: { readonly request: AccessRequest }) => (
  <dl className={styles.properties}>
    <dt>{text.who}</dt>
    <dd>{`${request.profile_name} (${request.profile_email})`}</dd>
    <dt>{text.api}</dt>
    <dd>{request.collection_name ?? text.hiddenApi}</dd>
    <dt>{text.why}</dt>
    <dd>{request.reason}</dd>
    <dt>{text.duration}</dt>
    <dd>{request.duration_days === null ? text.noExpiry : text.days(request.duration_days)}</dd>
    <dt>{text.requested}</dt>
    <dd>
      <Moment at={request.created_at} />
    </dd>
    {request.status === 'pending' ? null : <Decision request={request} />}
  </dl>
);

const Decision = ({ request }: { readonly request: AccessRequest }) => (
  <>
    <dt>{text.state}</dt>
    <dd>
      <StateBadge status={request.status} /> <Moment at={request.decided_at} none="" />
    </dd>
    {request.status === 'approved' || request.status === 'denied' ? (
      <Decider request={request} action={request.status === 'approved' ? 'approve' : 'deny'} />
    ) : null}
    {request.answer === null ? null : (
      <>
        <dt>{text.answer}</dt>
        <dd>{request.answer}</dd>
      </>
    )}
  </>
);

const windowMs = 60_000;

/** Shows who decided the request. Only the audit log contains this, not the request itself. */
const Decider = ({ request, action }: { readonly request: AccessRequest; readonly action: 'approve' | 'deny' }) => {
  const decidedMs = new Date(request.decided_at ?? request.created_at).getTime();
  const read = useRead('GET /api/audit/', {
    query: {
      source: 'system',
      action: `access.request.${action}`,
      collection_id: request.collection_id,
      from: new Date(decidedMs - windowMs).toISOString(),
      to: new Date(decidedMs + windowMs).toISOString(),
      pageSize: 100,
    },
  });
  const entry = read.data?.data.find(({ message }) => message['request_id'] === request.id);
  if (!entry) return null;
  const actor = entry.message['actor'];
  return (
    <>
      <dt>{text.decidedBy}</dt>
      <dd>{typeof actor === 'string' ? actor : text.byCommandLine}</dd>
    </>
  );
};
