import { requireReadableTarget, searchQueryMax, type ListedCollection } from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { cursor, cursorOf } from '../../routes/list-cursor.ts';
import { defineTool, type Tool } from '../tool.ts';
import { collectionId } from './arguments.ts';
import { distinctNameOf, toDistinctionView } from './distinct-name.ts';
import { toOneLine } from './one-line.ts';
import { describeCredential, toSentCredential } from './sent-credential.ts';

const listLimitDefault = 50;
const searchLimitDefault = 5;
/** The maximum length of a description in a list of APIs. */
const descriptionLineMax = 120;
const descriptionMax = 600;

export const apiTools: readonly Tool[] = [
  defineTool({
    name: 'search_apis',
    description: 'Find whole APIs by topic. For one task use search_operations.',
    isReadOnly: true,
    input: z.object({
      query: text({ max: searchQueryMax }),
      limit: optional(wholeNumber(1, 20)),
    }),
    handle: async ({ useCases, principal }, { query, limit }) => {
      const { results } = await useCases.searchCollections(principal, query, limit ?? searchLimitDefault);
      if (results.length === 0) return { text: noAccessText, data: { apis: [] } };
      const names = results.map(({ collectionName }) => collectionName);
      const distinctions = await useCases.distinguishCollections(principal, names);
      const apis = results.map(({ collectionId: id, collectionName, score }) => ({
        collection_id: id,
        name: collectionName,
        ...toDistinctionView(distinctions.get(id)),
        score,
      }));
      const lines = apis.map(
        (api) => `${api.score.toFixed(2)} ${distinctNameOf(api)} collection_id ${api.collection_id}`,
      );
      const heading =
        'Best match first. A low score means that possibly none of them fits; the name alone does not show it.';
      return { text: [heading, ...lines].join('\n'), data: { apis } };
    },
  }),
  defineTool({
    name: 'list_apis',
    description: 'All APIs that you may use, by name.',
    isReadOnly: true,
    input: z.object({
      limit: optional(wholeNumber(1, 200)),
      cursor: optional(cursor).meta({ description: 'next_cursor of the previous page.' }),
    }),
    handle: async ({ useCases, principal }, { limit: requestedLimit, cursor: after }) => {
      const limit = requestedLimit ?? listLimitDefault;
      const page = await useCases.listCollections(principal, { limit, after: after ?? null });
      const last = page.length === limit ? page.at(-1) : undefined;
      const nextCursor = last ? cursorOf(last) : null;
      if (page.length === 0) return { text: after ? 'There are no more.' : noAccessText, data: { apis: [] } };
      const names = page.map(({ name }) => name);
      const distinctions = await useCases.distinguishCollections(principal, names);
      const nextPageLines = nextCursor === null ? [] : [`There may be more: call list_apis with cursor ${nextCursor}`];
      return {
        text: [...page.map((api) => lineOf(api, distinctions.get(api.id))), ...nextPageLines].join('\n'),
        data: {
          apis: page.map(({ id, name }) => ({ collection_id: id, name, ...toDistinctionView(distinctions.get(id)) })),
          next_cursor: nextCursor,
        },
      };
    },
  }),
  defineTool({
    name: 'get_api',
    description:
      'Base URL of an API and how calls to it authenticate. Returns the credential itself only with include_credential; ' +
      'reading it is audited.',
    isReadOnly: true,
    input: z.object({
      collection_id: collectionId,
      include_credential: optional(z.boolean()),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, include_credential: includesCredential }) => {
      const api = await useCases.readTarget(principal, { id, detail: 'full' });
      const { name, description, baseUrl, storedAuthentication, derivedAuthentication } = requireReadableTarget(api);
      const value = includesCredential ? (await useCases.readMetadata(api)).authentication.value : null;
      const credentialToSend = toSentCredential(storedAuthentication ?? derivedAuthentication, value);
      const isStored = (storedAuthentication?.sealedValue ?? null) !== null;
      const credentialLine = describeCredential(
        credentialToSend,
        value !== null ? 'shown' : isStored ? 'stored' : 'absent',
      );
      return {
        text: [
          name,
          ...(description ? [toOneLine(description, descriptionMax)] : []),
          describeBaseUrl(baseUrl),
          credentialLine,
        ].join('\n'),
        data: { collection_id: id, name, base_url: baseUrl, send: credentialToSend && { ...credentialToSend } },
      };
    },
  }),
];

const noAccessText =
  'There is no API that you may use. An administrator of this catalog grants access; you cannot do anything else here.';

const describeBaseUrl = (baseUrl: string): string =>
  /^https?:/i.test(baseUrl)
    ? `Base URL: ${baseUrl}`
    : `Base URL: ${baseUrl} (the document does not name a host: ask the person you work for)`;

const lineOf = ({ id, name, description }: ListedCollection, distinction: string | undefined): string =>
  `${distinctNameOf({ name, ...toDistinctionView(distinction) })} collection_id ${id}${description ? `: ${toOneLine(description, descriptionLineMax)}` : ''}`;
