import {
  toIsoOrNull,
  parseId,
  type CallId,
  type CollectionId,
  type JobId,
  type PartState,
  type ProfileId,
  type RequestId,
  type WebhookId,
} from '@portico/domain';
import { z } from 'zod';

/** The replacement for an id that is not a UUID: the nil UUID (RFC 9562, section 5.9), which is never issued. */
const nil = '00000000-0000-0000-0000-000000000000';

/** Returns the nil UUID for a text that is not a UUID, so that it is handled like any unknown id. */
export const profileIdOf = (text: string | undefined): ProfileId =>
  parseId<ProfileId>(text ?? '') ?? (nil as ProfileId);
/** Like `profileIdOf`. */
export const collectionIdOf = (text: string | undefined): CollectionId =>
  parseId<CollectionId>(text ?? '') ?? (nil as CollectionId);
/** Like `profileIdOf`. */
export const requestIdOf = (text: string | undefined): RequestId =>
  parseId<RequestId>(text ?? '') ?? (nil as RequestId);
/** Like `profileIdOf`. */
export const callIdOf = (text: string | undefined): CallId => parseId<CallId>(text ?? '') ?? (nil as CallId);
/** Like `profileIdOf`. */
export const jobIdOf = (text: string | undefined): JobId => parseId<JobId>(text ?? '') ?? (nil as JobId);
/** Like `profileIdOf`. */
export const webhookIdOf = (text: string | undefined): WebhookId =>
  parseId<WebhookId>(text ?? '') ?? (nil as WebhookId);

/** Returns the header that links to the next page of a list. */
export const createNextPageLink = (
  path: string,
  query: Readonly<Record<string, string>>,
): { readonly Link: string } => ({
  Link: `<${path}?${new URLSearchParams(query).toString()}>; rel="next"`,
});

export { toIsoOrNull };

/** Returns the reason why a part is unavailable; absent if the part works, or if the reason must not be disclosed. */
export const toReasonView = (state: PartState): { readonly reason?: string } =>
  state.status === 'unavailable' && state.reason !== null ? { reason: state.reason } : {};

// Schemas of responses.
export const uuid = z.string().meta({ format: 'uuid', examples: ['0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81'] });
export const timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds.', examples: ['2026-01-31T09:30:00.000Z'] });
export const message = z.object({ message: z.string() }).meta({ id: 'Message', description: 'Reports the outcome.' });

export const operationProgress = z
  .object({ total: z.int(), done: z.int(), failed: z.int() })
  .meta({ id: 'OperationProgress' });

const uuidSchema = { type: 'string', format: 'uuid' } as const;

export const profileParameter = {
  user_id: {
    description: 'The `id` or email address of the profile.',
    schema: { type: 'string' },
    example: '0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81',
  },
} as const;
export const collectionParameter = {
  collection_id: {
    description: 'The `id` of the collection.',
    schema: uuidSchema,
    example: '7c9a4f8e-1d2b-4c3a-8e5f-6a7b8c9d0e1f',
  },
} as const;
export const groupParameter = {
  group_id: {
    description: 'The `id` or percent-encoded name of the group.',
    schema: { type: 'string' },
    example: '5e1f0c9b-8a7d-4c6e-9b2a-3d4c5b6a7980',
  },
} as const;
export const memberParameter = {
  profile_id: {
    description: "The `id` or email address of the member's profile.",
    schema: { type: 'string' },
    example: '0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81',
  },
} as const;
export const requestParameter = {
  request_id: {
    description: 'The `id` of the request.',
    schema: uuidSchema,
    example: '5f1d2c3b-7a69-4e58-8d4c-3b2a19087f6e',
  },
} as const;
export const callParameter = {
  call_id: {
    description: 'The `call_id` of the call.',
    schema: uuidSchema,
    example: '2e4f6a8b-1c3d-4e5f-8a9b-0c1d2e3f4a5b',
  },
} as const;
export const jobParameter = {
  job_id: {
    description: 'The `id` of the job.',
    schema: uuidSchema,
    example: '9c8b7a69-5847-4635-8241-302f1e0d9c8b',
  },
} as const;
export const webhookParameter = {
  webhook_id: {
    description: 'The `id` of the webhook.',
    schema: uuidSchema,
    example: '3d5c7b9a-2e4f-4a6b-8c0d-1f2e3d4c5b6a',
  },
} as const;
export const clientParameter = {
  client_profile_id: {
    description: "The `id` of the client's profile (not its API client identifier).",
    schema: uuidSchema,
    example: '0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81',
  },
} as const;
