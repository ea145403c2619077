import { toIso, type AccessGrant, type Instant } from '@portico/domain';
import { z } from 'zod';
import { ruleFields, toRuleView } from './grant-rules.ts';
import { toIsoOrNull, timestamp, uuid } from './wire.ts';

export const expiresAt = timestamp.nullable().meta({ description: 'When access expires; null if it never does.' });

const kind = z
  .enum(['direct', 'group'])
  .meta({ description: '`direct`: a grant to the client. `group`: a grant to a group of the client.' });

export const accessWay = z
  .object({
    kind,
    group_id: uuid.nullable(),
    group_name: z.string().nullable(),
    granted_at: timestamp,
    expires_at: expiresAt,
    ...ruleFields,
  })
  .meta({ id: 'AccessWay', description: 'A grant that gives a client access: a direct grant, or a grant to a group.' });

/** The fields of a matrix row that describe how the client has access. */
export const accessWayFields = { via: kind, group_id: uuid.nullable(), group_name: z.string().nullable() };

export const toAccessWayFieldsView = ({ group }: AccessGrant) => ({
  via: group ? ('group' as const) : ('direct' as const),
  group_id: group?.id ?? null,
  group_name: group?.name ?? null,
});

/** Returns the additional fields of an access record: each way, and the latest expiry. */
export const toAccessWaysView = (ways: readonly AccessGrant[]) => ({
  via: ways.map((way): z.input<typeof accessWay> => {
    const { via, ...group } = toAccessWayFieldsView(way);
    const times = { granted_at: toIso(way.grantedAt), expires_at: toIsoOrNull(way.expiresAt) };
    return { kind: via, ...group, ...times, ...toRuleView(way) };
  }),
  expires_at: toIsoOrNull(latestExpiryOf(ways)),
});

const latestExpiryOf = (ways: readonly AccessGrant[]): Instant | null =>
  ways.reduce<Instant | null>(
    (latest, { expiresAt: expiry }) => (latest === null || expiry === null ? null : Math.max(latest, expiry)),
    Number.NEGATIVE_INFINITY,
  );
