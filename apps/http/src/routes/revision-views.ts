import { toChangeView, toIso, type RecentRevision, type Revision, type RevisionDifference } from '@portico/domain';
import { z } from 'zod';
import { change, changeCounts, toCountsView } from './change-views.ts';
import { timestamp, uuid } from './wire.ts';

const breaking = z.array(z.string()).meta({
  description: 'The first breaking changes, at most 5.',
  examples: [['GET /roads: The operation was removed.']],
});
const counts = changeCounts
  .nullable()
  .meta({ description: 'Since the previous revision; null for the first revision, or if the changes are unknown.' });

export const revision = z
  .object({
    number: z.int(),
    digest: z.string().meta({ description: 'SHA-256 of the document, in hexadecimal.' }),
    created_at: timestamp,
    actor: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'The email address or service account of the actor, only for administrators; null for the command line, and if it ' +
          'is unknown.',
      }),
    origin: z
      .string()
      .nullable()
      .meta({
        description: 'The `import_key`, if the document was imported with one.',
        examples: ['roads/openapi.yaml'],
      }),
    counts,
    breaking,
  })
  .meta({ id: 'Revision' });

/** `showsActor`: only administrators see who made a revision. */
export const toRevisionView = (
  { number, digest, createdAt, actorName, origin, counts: changed, breakingTexts }: Revision,
  showsActor: boolean,
): z.input<typeof revision> => ({
  number,
  digest,
  created_at: toIso(createdAt),
  ...(showsActor ? { actor: actorName } : {}),
  origin,
  counts: changed && toCountsView(changed),
  breaking: [...breakingTexts],
});

export const difference = z
  .object({
    from: z.int().nullable().meta({ description: 'null if the collection has had only one document.' }),
    to: z.int(),
    counts: changeCounts,
    changes: z.array(change).meta({ description: 'At most 2,000 changes, breaking ones first.' }),
  })
  .meta({ id: 'RevisionDifference' });

export const toDifferenceView = ({ from, to, counts: changed, changes }: RevisionDifference) => ({
  from,
  to,
  counts: toCountsView(changed),
  changes: changes.map(toChangeView),
});

export const recentRevision = z
  .object({
    collection_id: uuid,
    collection_name: z.string(),
    revision: z.int(),
    created_at: timestamp,
    counts,
    breaking,
  })
  .meta({ id: 'RecentRevision' });

export const toRecentView = ({
  collectionId,
  collectionName,
  number,
  createdAt,
  counts: changed,
  breakingTexts,
}: RecentRevision): z.input<typeof recentRevision> => ({
  collection_id: collectionId,
  collection_name: collectionName,
  revision: number,
  created_at: toIso(createdAt),
  counts: changed && toCountsView(changed),
  breaking: [...breakingTexts],
});
