import { toIso, type AccessWay, type Instant } from '@portico/domain';
import { z } from 'zod';
import { isoOrNull, timestamp, uuid } from './wire.ts';

export const expiresAt = timestamp.nullable().meta({ description: 'When it expires; null if never.' });

const kind = z.enum(['direct', 'group']).meta({ description: "By the client's own grant, or by a group's." });

export const accessWay = z
  .object({
    kind,
    group_id: uuid.nullable(),
    group_name: z.string().nullable(),
    granted_at: timestamp,
    expires_at: expiresAt,
  })
  .meta({ id: 'AccessWay', description: "One way in which a client has access: its own grant, or a group's." });

/** The fields of a matrix row that describe how the client has access. */
export const wayFields = { via: kind, group_id: uuid.nullable(), group_name: z.string().nullable() };

export const wayFieldsView = ({ group }: AccessWay) => ({
  via: group ? ('group' as const) : ('direct' as const),
  group_id: group?.id ?? null,
  group_name: group?.name ?? null,
});

/** Returns the additional fields of an access record: each way, and the latest expiry. */
export const waysView = (ways: readonly AccessWay[]) => ({
  via: ways.map((way): z.input<typeof accessWay> => {
    const { via, ...group } = wayFieldsView(way);
    return { kind: via, ...group, granted_at: toIso(way.grantedAt), expires_at: isoOrNull(way.expiresAt) };
  }),
  expires_at: isoOrNull(lastEndOf(ways)),
});

const lastEndOf = (ways: readonly AccessWay[]): Instant | null =>
  ways.reduce<Instant | null>(
    (last, { expiresAt: end }) => (last === null || end === null ? null : Math.max(last, end)),
    Number.NEGATIVE_INFINITY,
  );
