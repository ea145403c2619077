import type { Profile } from '../profiles/profile.ts';
import { isSuspended } from '../profiles/suspension-machine.ts';

/** The caller of a pending call at the time of the decision. */
export interface CallerState {
  readonly profile: Profile;
  /** Whether the caller has access to the collection, through its own grant or a group's. */
  readonly hasGrant: boolean;
}

/** Returns why the caller may not make the call; null if it may. */
export type ApprovalRule = (state: CallerState) => string | null;

const callerIsActive: ApprovalRule = ({ profile }) => (isSuspended(profile) ? 'it is suspended' : null);

const callerIsApproved: ApprovalRule = ({ profile }) =>
  profile.status === 'approved' ? null : 'its registration is not approved';

const callerHasAccess: ApprovalRule = ({ profile, hasGrant }) =>
  hasGrant || profile.role === 'admin' ? null : 'it has no access to the collection';

/** The rules for approving a call, in the order they are checked. */
export const approvalRules = [callerIsActive, callerIsApproved, callerHasAccess];
