import { changeLevels, type Change, type Comparison } from '@portico/domain';
import { z } from 'zod';

export const changeView = z
  .object({
    rule: z.string().meta({ description: "The rule's id, which is stable.", examples: ['api-path-removed'] }),
    level: z.enum(changeLevels),
    operation_key: z.string().nullable().meta({ description: 'Null if the change concerns the whole document.' }),
    method: z.string().nullable(),
    path: z.string().nullable(),
    place: z.string().meta({ description: 'The position in the operation; empty for the operation itself.' }),
    text: z.string(),
    example: z.unknown().meta({ description: 'A value that shows the change; null if there is none.' }),
    fingerprint: z.string(),
  })
  .meta({ id: 'Change' });

export const changeCountsView = z.object({ breaking: z.int(), warning: z.int(), info: z.int() });

/** The maximum number of changes that a comparison lists. */
export const listedChangesMax = 100;

export const comparisonView = z
  .object({
    counts: changeCountsView,
    changes: z.object({
      total: z.int(),
      first: z.array(changeView).meta({ description: `At most ${listedChangesMax}, breaking ones first.` }),
    }),
  })
  .meta({ id: 'Comparison' });

export const toChangeView = ({
  rule,
  level,
  operation,
  place,
  text,
  example,
  fingerprint,
}: Change): z.input<typeof changeView> => ({
  ...{ rule, level, operation_key: operation?.key ?? null },
  ...{ method: operation?.method ?? null, path: operation?.path ?? null, place, text },
  example: example === null ? null : (JSON.parse(example) as unknown),
  fingerprint,
});

export const toComparisonView = ({ counts, changes }: Comparison): z.input<typeof comparisonView> => ({
  counts: { ...counts },
  changes: {
    total: counts.breaking + counts.warning + counts.info,
    first: changes.slice(0, listedChangesMax).map(toChangeView),
  },
});
