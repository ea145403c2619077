import {
  type AdminAuthority,
  affectedDays,
  affectedListMax,
  type ImportPlan,
  mayNameUsers,
  type Principal,
  toAffectedView,
  type UseCases,
} from '@portico/domain';
import { z } from 'zod';

const names = z
  .array(z.string())
  .optional()
  .meta({
    description:
      `At most ${affectedListMax}. A service account needs the scopes \`access:read\` and \`usage:read\` besides; without ` +
      'them, the member is absent.',
  });

/** The clients that breaking changes concern. */
export const affected = z
  .object({
    callers_total: z.int().meta({ description: 'The number of clients with access to the collection.' }),
    affected_total: z.int().meta({
      description: `How many of them used an operation with breaking changes in the last ${affectedDays} days.`,
    }),
    operations: z
      .array(
        z.object({
          operation_key: z.string(),
          method: z.string(),
          path: z.string(),
          used_by_total: z.int(),
          people: names,
          groups: names,
        }),
      )
      .meta({ description: `Those that clients used, the most used first; at most ${affectedListMax}.` }),
  })
  .meta({ id: 'AffectedClients' });

/** Returns the member `affected` of a plan; none if it has no breaking changes of operations. */
export const readAffectedView = async (
  { readAffected }: UseCases,
  { authority, principal }: { readonly authority: AdminAuthority; readonly principal: Principal },
  { current, documentChange }: ImportPlan,
): Promise<{ affected?: z.input<typeof affected> }> => {
  const comparison = documentChange?.comparison;
  if (!current || !comparison) return {};
  const result = await readAffected(authority, current.id, comparison, { namesUsers: mayNameUsers(principal) });
  return result ? { affected: toAffectedView(result) } : {};
};
