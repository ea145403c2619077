import {
  type ChangeCounts,
  changeLevels,
  type DocumentChange,
  listedChangesMax,
  toDocumentChangesView,
} from '@portico/domain';
import { z } from 'zod';
import { timestamp } from './wire.ts';

export const changeCounts = z
  .object({ breaking: z.int(), warning: z.int(), info: z.int() })
  .meta({ id: 'ChangeCounts', description: 'The number of changes of each level.' });

/** A change between two documents. */
export const change = z
  .object({
    rule: z.string().meta({
      description: 'The rule that found the change; its name never changes.',
      examples: ['api-removed-without-deprecation'],
    }),
    level: z.enum(changeLevels).meta({
      description:
        '`breaking`: requests may be rejected, or callers may receive responses that they cannot read. `warning`: that ' +
        'depends on the caller. `info`: all other changes.',
    }),
    operation_key: z.string().nullable().meta({ description: 'null if the change is about the whole document.' }),
    method: z.string().nullable(),
    path: z.string().nullable(),
    place: z.string().meta({
      description: 'The position in the operation; an empty string for the operation itself.',
      examples: ['request body application/json /items/price'],
    }),
    text: z.string().meta({ examples: ['The operation was removed.'] }),
    example: z.unknown().meta({
      description:
        'A value that was valid in requests and is no longer, or that is now valid in responses and was not; null if there ' +
        'is none.',
    }),
    fingerprint: z.string().meta({ description: 'Identifies the change among others, also of other versions.' }),
    expected: z
      .object({ reason: z.string(), until: timestamp })
      .optional()
      .meta({ description: 'Why the change is expected, if the policy of the collection says so.' }),
  })
  .meta({ id: 'DocumentChange' });

export const toCountsView = ({ breaking, warning, info }: ChangeCounts): z.input<typeof changeCounts> => ({
  breaking,
  warning,
  info,
});

/** The changes of a document that was just replaced. */
export const replacedDocument = z
  .object({
    counts: changeCounts
      .nullable()
      .meta({ description: 'null if the changes are unknown: the documents are too large.' }),
    total: z.int().nullable(),
    first: z.array(change).meta({ description: `At most ${listedChangesMax} changes, breaking ones first.` }),
  })
  .meta({ id: 'DocumentChanges', description: 'The changes of the document; present if it was replaced.' });

/** Returns the member `changes`; none if the document stays the same. */
export const toReplacedDocumentView = (
  documentChange: DocumentChange | null,
): { changes?: z.input<typeof replacedDocument> } =>
  documentChange ? { changes: toDocumentChangesView(documentChange.comparison) } : {};
