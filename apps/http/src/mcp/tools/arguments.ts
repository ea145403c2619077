import { parseId, parseOperationKey, type CallId, type CollectionId } from '@portico/domain';
import { z } from 'zod';

/** Creates the schema of an argument that identifies an item in another tool's result. */
const createReferenceSchema = <Id extends string>(parse: (text: string) => Id | null, message: string) =>
  z.string().transform((value, context): Id => {
    const id = parse(value.trim());
    if (id !== null) return id;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

export const collectionId = createReferenceSchema(
  (text) => parseId<CollectionId>(text),
  'must be an id returned by search_operations, search_apis or list_apis',
);

export const callId = createReferenceSchema(
  (text) => parseId<CallId>(text),
  'must be an id returned by call_operation',
);

export const operationKey = createReferenceSchema(parseOperationKey, 'must be a key returned by search_operations');
