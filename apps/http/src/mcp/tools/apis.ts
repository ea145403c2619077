import { readableTarget, searchQueryMax, type ListedCollection } from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { cursor, cursorOf } from '../../routes/list-cursor.ts';
import { defineTool, type Tool } from '../tool.ts';
import { collectionId } from './arguments.ts';
import { oneLine } from './one-line.ts';
import { credentialText, sentCredential } from './sent-credential.ts';

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
      if (results.length === 0) return { text: nothingGranted, data: { apis: [] } };
      const apis = results.map(({ collectionId: id, collectionName, score }) => ({
        collection_id: id,
        name: collectionName,
        score,
      }));
      const lines = apis.map(
        ({ collection_id, name, score }) => `${score.toFixed(2)} ${name} collection_id ${collection_id}`,
      );
      const head = 'The nearest first. A low score means that none may fit; names alone do not show it.';
      return { text: [head, ...lines].join('\n'), data: { apis } };
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
      const next = last ? cursorOf(last) : null;
      if (page.length === 0) return { text: after ? 'There are no more.' : nothingGranted, data: { apis: [] } };
      const more = next === null ? [] : [`There may be more: list_apis with cursor ${next}`];
      return {
        text: [...page.map(lineOf), ...more].join('\n'),
        data: { apis: page.map(({ id, name }) => ({ collection_id: id, name })), next_cursor: next },
      };
    },
  }),
  defineTool({
    name: 'get_api',
    description:
      'Base address of an API and how calls to it authenticate. The credential itself only with include_credential; ' +
      'reading it is audited.',
    isReadOnly: true,
    input: z.object({
      collection_id: collectionId,
      include_credential: optional(z.boolean()),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, include_credential: includesCredential }) => {
      const api = await useCases.readTarget(principal, { id, part: 'whole' });
      const { name, description, baseUrl, storedAuthentication, derivedAuthentication } = readableTarget(api);
      const value = includesCredential ? (await useCases.readMetadata(api)).authentication.value : null;
      const sent = sentCredential(storedAuthentication ?? derivedAuthentication, value);
      const isStored = (storedAuthentication?.sealedValue ?? null) !== null;
      const credentialLine = credentialText(sent, value !== null ? 'shown' : isStored ? 'stored' : 'absent');
      return {
        text: [
          name,
          ...(description ? [oneLine(description, descriptionMax)] : []),
          baseUrlText(baseUrl),
          credentialLine,
        ].join('\n'),
        data: { collection_id: id, name, base_url: baseUrl, send: sent && { ...sent } },
      };
    },
  }),
];

const nothingGranted =
  'There is no API that you may use. An administrator of this catalog grants access; nothing else can be done here.';

const baseUrlText = (baseUrl: string): string =>
  /^https?:/i.test(baseUrl)
    ? `Base address: ${baseUrl}`
    : `Base address: ${baseUrl} (the document names no host: ask the person you work for)`;

const lineOf = ({ id, name, description }: ListedCollection): string =>
  `${name} collection_id ${id}${description ? `: ${oneLine(description, descriptionLineMax)}` : ''}`;
