import type { JsonObject } from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { defineTool, type Tool } from '../tool.ts';
import { collectionId, operationKey } from './arguments.ts';

const durationMsMax = 86_400_000;

export const callTools: readonly Tool[] = [
  defineTool({
    name: 'record_call',
    description: 'Record a call that you made to an API in the audit log. Do not include bodies or credentials.',
    isReadOnly: false,
    input: z.object({
      collection_id: collectionId,
      method: text({ max: 20 }),
      endpoint: text({ max: 2_000 }).meta({ description: 'The path that was called.' }),
      status_code: wholeNumber(100, 599),
      duration_ms: optional(wholeNumber(0, durationMsMax)),
      operation_key: optional(operationKey),
      note: optional(text({ max: 1_000 })),
    }),
    handle: async ({ useCases, principal }, input) => {
      const { clientId } = principal.profile;
      const entry = { action: 'api_call', ...(clientId === null ? {} : { client_id: clientId }), ...input };
      const message = JSON.parse(JSON.stringify(entry)) as JsonObject;
      const { id, timestamp } = await useCases.writeAuditEntry(principal, {
        text: JSON.stringify(message),
        message,
        timestamp: null,
      });
      return { data: { recorded: true, id, timestamp } };
    },
  }),
];
