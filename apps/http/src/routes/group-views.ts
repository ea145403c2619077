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
import { isoOrNull, timestamp, uuid } from './wire.ts';

const how = {
  added_at: timestamp.nullable().meta({ description: 'When an administrator added the user; null if none did.' }),
  claimed_at: timestamp.nullable().meta({
    description: "When the user's newest token, if it has the group, arrived; null if it has not.",
  }),
};

const facts = {
  id: uuid,
  name: z.string(),
  description: z.string(),
  tier: z.string().nullable().meta({ description: 'The rate-limit tier of members without their own.' }),
  created_at: timestamp,
  updated_at: timestamp,
};
const counts = { member_count: z.int(), collection_count: z.int() };

export const group = z.object(facts).meta({ id: 'Group' });
export const listedGroup = z.object({ ...facts, ...counts }).meta({ id: 'ListedGroup' });
export const groupMember = z
  .object({ profile_id: uuid, email: z.string(), full_name: z.string(), ...how })
  .meta({ id: 'GroupMember' });
export const groupCollection = z
  .object({
    id: uuid,
    name: z.string(),
    granted_at: timestamp,
    expires_at: timestamp.nullable().meta({ description: 'null: never.' }),
  })
  .meta({ id: 'GroupCollection' });
export const wholeGroup = z
  .object({
    ...facts,
    ...counts,
    members: z.array(groupMember).meta({ description: 'The first 1,000 by e-mail.' }),
    collections: z.array(groupCollection),
  })
  .meta({ id: 'WholeGroup' });
export const joined = z
  .object({ message: z.string(), group_id: uuid, profile_id: uuid, ...how })
  .meta({ id: 'JoinedGroup' });
export const joins = z
  .object({
    outcomes: z.array(
      z.object({
        profile: z.string().meta({ description: 'As it was sent.' }),
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
  })
  .meta({ id: 'GroupGrant' });
export const ownGroup = z.object({ id: uuid, name: z.string(), ...how }).meta({ id: 'OwnGroup' });

export const groupView = ({ id, name, description, tier, createdAt, updatedAt }: Group): z.input<typeof group> => ({
  id,
  name,
  description,
  tier,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});

export const listedGroupView = (from: ListedGroup): z.input<typeof listedGroup> => ({
  ...groupView(from),
  member_count: from.members,
  collection_count: from.collections,
});

export const groupMemberView = (member: GroupMember): z.input<typeof groupMember> => ({
  profile_id: member.profileId,
  email: member.email,
  full_name: member.fullName,
  ...howView(member),
});

export const groupCollectionView = ({
  id,
  name,
  grantedAt,
  expiresAt,
}: GroupCollection): z.input<typeof groupCollection> => ({
  id,
  name,
  granted_at: toIso(grantedAt),
  expires_at: isoOrNull(expiresAt),
});

export const outcomeView = ({ reference, profile, result }: AddOutcome) => ({
  profile: reference,
  profile_id: profile,
  outcome: result,
});

export const ownGroupView = (from: Group & Membership): z.input<typeof ownGroup> => ({
  id: from.id,
  name: from.name,
  ...howView(from),
});

export const howView = ({ addedAt, claimedAt }: Membership) => ({
  added_at: isoOrNull(addedAt),
  claimed_at: isoOrNull(claimedAt),
});
