import {
  toIso,
  type AddOutcome,
  type Group,
  type GroupCollection,
  type GroupMember,
  type ListedGroup,
  type Membership,
} from '@portico/domain';
import { z } from 'zod';
import { changedRuleFields, ruleFields, toRuleView } from './grant-rules.ts';
import { toIsoOrNull, timestamp, uuid } from './wire.ts';

const membershipFields = {
  added_at: timestamp.nullable().meta({
    description: 'When an administrator added the user; null if the user is a member only through a token claim.',
  }),
  claimed_at: timestamp.nullable().meta({
    description: "When the user's newest token arrived, if it contains the group; null if it does not.",
  }),
};

const groupFields = {
  id: uuid,
  name: z.string(),
  description: z.string(),
  tier: z.string().nullable().meta({ description: 'The rate-limit tier of members that have no tier of their own.' }),
  created_at: timestamp,
  updated_at: timestamp,
};
const counts = { member_count: z.int(), collection_count: z.int() };

export const group = z.object(groupFields).meta({ id: 'Group' });
export const listedGroup = z.object({ ...groupFields, ...counts }).meta({ id: 'ListedGroup' });
export const groupMember = z
  .object({ profile_id: uuid, email: z.string(), full_name: z.string(), ...membershipFields })
  .meta({ id: 'GroupMember' });
export const groupCollection = z
  .object({
    id: uuid,
    name: z.string(),
    granted_at: timestamp,
    expires_at: timestamp.nullable().meta({ description: 'null if it never expires.' }),
    ...ruleFields,
  })
  .meta({ id: 'GroupCollection' });
export const groupDetails = z
  .object({
    ...groupFields,
    ...counts,
    members: z.array(groupMember).meta({ description: 'The first 1,000 members, sorted by email address.' }),
    collections: z.array(groupCollection),
  })
  .meta({ id: 'WholeGroup' });
export const addMemberResult = z
  .object({ message: z.string(), group_id: uuid, profile_id: uuid, ...membershipFields })
  .meta({ id: 'JoinedGroup' });
export const addMembersResult = z
  .object({
    outcomes: z.array(
      z.object({
        profile: z.string().meta({ description: 'The id or email address as it was sent.' }),
        profile_id: uuid.nullable(),
        outcome: z.enum(['added', 'already', 'not_found']),
      }),
    ),
  })
  .meta({ id: 'JoinedGroups' });
export const groupGrant = z
  .object({
    message: z.string(),
    group_id: uuid,
    collection_id: uuid,
    granted_at: timestamp,
    expires_at: timestamp.nullable(),
    ...changedRuleFields,
  })
  .meta({ id: 'GroupGrant' });
export const ownGroup = z.object({ id: uuid, name: z.string(), ...membershipFields }).meta({ id: 'OwnGroup' });

export const toGroupView = ({ id, name, description, tier, createdAt, updatedAt }: Group): z.input<typeof group> => ({
  id,
  name,
  description,
  tier,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});

export const toListedGroupView = (row: ListedGroup): z.input<typeof listedGroup> => ({
  ...toGroupView(row),
  member_count: row.members,
  collection_count: row.collections,
});

export const toGroupMemberView = (member: GroupMember): z.input<typeof groupMember> => ({
  profile_id: member.profileId,
  email: member.email,
  full_name: member.fullName,
  ...toMembershipView(member),
});

export const toGroupCollectionView = ({
  id,
  name,
  grantedAt,
  expiresAt,
  rule,
}: GroupCollection): z.input<typeof groupCollection> => ({
  id,
  name,
  granted_at: toIso(grantedAt),
  expires_at: toIsoOrNull(expiresAt),
  ...toRuleView({ rule }),
});

export const toOutcomeView = ({ reference, profile, result }: AddOutcome) => ({
  profile: reference,
  profile_id: profile,
  outcome: result,
});

export const toOwnGroupView = (row: Group & Membership): z.input<typeof ownGroup> => ({
  id: row.id,
  name: row.name,
  ...toMembershipView(row),
});

export const toMembershipView = ({ addedAt, claimedAt }: Membership) => ({
  added_at: toIsoOrNull(addedAt),
  claimed_at: toIsoOrNull(claimedAt),
});
