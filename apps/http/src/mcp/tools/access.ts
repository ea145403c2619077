import {
  durationDaysMax,
  isAdmin,
  PorticoError,
  requestReasonMax,
  toIso,
  toNameKey,
  type CatalogEntry,
  type CollectionId,
  type VisibleRequest,
} from '@portico/domain';
import { z } from 'zod';
import { line, optional, text, wholeNumber } from '../../requests/fields.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { collectionId } from './arguments.ts';
import { toOneLine } from './one-line.ts';

/** How many APIs or requests one result lists. */
const listMax = 50;
/** How many entries of the catalog are read at once. */
const catalogPageSize = 200;
const descriptionLineMax = 120;

export const accessTools: readonly Tool[] = [
  defineTool({
    name: 'request_access',
    description:
      'Ask an administrator for an API that you may not use yet. Without collection_id: lists those that you can ask for.',
    isReadOnly: false,
    input: z.object({
      collection_id: optional(collectionId),
      reason: optional(text({ max: requestReasonMax })).meta({
        description: 'Why you need it; required with collection_id.',
      }),
      duration_days: optional(wholeNumber(1, durationDaysMax)),
      query: optional(line({ max: 200 })).meta({ description: 'Lists only APIs with this text.' }),
    }),
    handle: async (context, { collection_id: id, reason, duration_days: durationDays, query }) => {
      if (!id) return listRequestable(context, query ?? null);
      if (!reason) throw new PorticoError('invalid_body', { reason: 'reason is required with collection_id' });
      return requestAccess(context, { collectionId: id, reason, durationDays: durationDays ?? null });
    },
  }),
  defineTool({
    name: 'whoami',
    description: 'Who you are in this catalog, your pending requests, and the next step, if any.',
    isReadOnly: true,
    input: z.object({}),
    handle: async ({ useCases, principal, consoleUrl }) => {
      const { profile } = principal;
      const apiCount = await useCases.countCollections(principal, null);
      const requests = await useCases.listRequests(
        principal,
        { status: 'pending', profileId: profile.id, collectionId: null },
        { limit: listMax, after: null },
      );
      const isBound = profile.issuer !== null;
      const needed = [
        ...(isAdmin(profile) ? [] : [neededFor[profile.status](apiCount)]),
        ...(isBound ? [] : [`To sign in without an API key, sign in once at ${consoleUrl}.`]),
      ];
      return {
        data: {
          email: profile.email,
          role: profile.role,
          registration_status: profile.status,
          bound: isBound,
          api_count: apiCount,
          pending_requests: requests.map(toPendingView),
          needed: needed.filter((sentence) => sentence !== '').join(' ') || 'Nothing.',
        },
      };
    },
  }),
];

const neededFor = {
  pending: () =>
    'An administrator of this catalog has to approve your registration; after that, you can request access.',
  rejected: () => 'Your registration was rejected: ask an administrator of this catalog to reopen it.',
  approved: (apiCount: number) =>
    apiCount > 0 ? '' : 'No API is granted to you: ask for one with request_access, and an administrator decides.',
} as const;

const requestAccess = async (
  { useCases, principal }: ToolContext,
  request: { readonly collectionId: CollectionId; readonly reason: string; readonly durationDays: number | null },
): Promise<ToolResult> => {
  const { id, status, collectionId, collectionName } = await useCases.requestAccess(principal, request);
  const hint =
    'An administrator decides. whoami lists the request while it is pending; list_apis shows the API once it is granted.';
  return { data: { request_id: id, status, collection_id: collectionId, name: collectionName, hint } };
};

const listRequestable = async (context: ToolContext, containing: string | null): Promise<ToolResult> => {
  const entries = await readRequestable(context, containing);
  const apis = entries.slice(0, listMax).map(({ id, name, description, access }) => ({
    collection_id: id,
    name,
    description: toOneLine(description, descriptionLineMax),
    requested: access === 'requested',
  }));
  const hint =
    apis.length === 0
      ? 'There is no API to ask for that you may not use already.'
      : 'To ask for one, call request_access with its collection_id and a reason.' +
        (entries.length > listMax ? ' There are more: narrow the list with query.' : '');
  return { data: { hint, apis } };
};

/** Returns the entries of the catalog that are not granted to the caller: up to one more than a result lists. */
const readRequestable = async (
  { useCases, principal }: ToolContext,
  containing: string | null,
): Promise<readonly CatalogEntry[]> => {
  const requestable: CatalogEntry[] = [];
  let after: Parameters<typeof useCases.readCatalog>[1]['after'] = null;
  do {
    if (principal.deadline?.hasExpired) throw new PorticoError('timed_out');
    const page = await useCases.readCatalog(principal, { containing, limit: catalogPageSize, after });
    requestable.push(...page.filter(({ access }) => access !== 'granted'));
    const last = page.length === catalogPageSize ? page.at(-1) : undefined;
    after = last ? { nameKey: toNameKey(last.name), id: last.id } : null;
  } while (after && requestable.length <= listMax);
  return requestable;
};

const toPendingView = ({ id, collectionId, collectionName, createdAt }: VisibleRequest) => ({
  request_id: id,
  collection_id: collectionId,
  name: collectionName,
  created_at: toIso(createdAt),
});
