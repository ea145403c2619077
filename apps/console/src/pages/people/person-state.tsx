import type { CallResult } from '../../api/call.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';

const { states } = words.people;
const kinds = { pending: 'waiting', approved: 'good', rejected: 'quiet' } as const;

type PersonStatus = Pick<CallResult<'GET /api/profiles/'>[number], 'registration_status' | 'role' | 'suspended_at'>;

/** The status of a person in one word. */
export const PersonState = ({
  person: { registration_status: status, role, suspended_at: suspendedAt },
}: {
  readonly person: PersonStatus;
}) => {
  if (suspendedAt) return <StatusBadge kind="bad">{states.suspended}</StatusBadge>;
  if (role === 'admin') return <StatusBadge kind="special">{states.admin}</StatusBadge>;
  return <StatusBadge kind={kinds[status]}>{states[status]}</StatusBadge>;
};
