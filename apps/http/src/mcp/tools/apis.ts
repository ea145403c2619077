import {
  isCredentialWithheld,
  requireReadableTarget,
  searchQueryMax,
  type Collection,
  type ListedCollection,
} from '@portico/domain';
import { z } from 'zod';
import { optional, text, wholeNumber } from '../../requests/fields.ts';
import { cursor, cursorOf } from '../../routes/list-cursor.ts';
import { defineTool, type Tool } from '../tool.ts';
import { collectionId } from './arguments.ts';
import { toDistinctionView } from './distinct-name.ts';
import { describeLifecycle } from './lifecycle-note.ts';
import { toOneLine } from './one-line.ts';
import { credentialPlaceOf, toSentCredential, type CredentialPlace } from './sent-credential.ts';

const listLimitDefault = 50;
const searchLimitDefault = 5;
/** The maximum length of a description in a list of APIs. */
const descriptionLineMax = 120;
const descriptionMax = 600;
/** The maximum length of a scheme's name; longer ones cannot be read. */
const schemeNameMax = 1_000;

export const apiTools: readonly Tool[] = [
  defineTool({
    name: 'search_apis',
    description: 'Find whole APIs by topic. For one task use search_operations.',
    isReadOnly: true,
    input: z.object({
      query: text({ max: searchQueryMax }).meta({ description: 'In English.' }),
      limit: optional(wholeNumber(1, 20)),
    }),
    handle: async ({ useCases, principal }, { query, limit }) => {
      const { results } = await useCases.searchCollections(principal, query, limit ?? searchLimitDefault);
      const names = results.map(({ collectionName }) => collectionName);
      const distinctions = await useCases.distinguishCollections(principal, names);
      const apis = results.map(({ collectionId: id, collectionName, deprecated, score }) => ({
        collection_id: id,
        name: collectionName,
        ...toDistinctionView(distinctions.get(id)),
        ...(deprecated ? { deprecated } : {}),
        score,
      }));
      return { data: { hint: apis.length === 0 ? noAccessText : searchHint, apis } };
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
      const distinctions = await useCases.distinguishCollections(
        principal,
        page.map(({ name }) => name),
      );
      const apis = page.map((api) => toLineView(api, distinctions.get(api.id)));
      const list = { apis, next_cursor: last ? cursorOf(last) : null };
      if (page.length === 0) return { data: { hint: after ? 'There are no more.' : noAccessText, ...list } };
      return { data: last ? { hint: 'There may be more: call list_apis with next_cursor.', ...list } : list };
    },
  }),
  defineTool({
    name: 'get_api',
    description: 'Base URL of an API, and how calls to it authenticate. Never returns a credential.',
    isReadOnly: true,
    input: z.object({ collection_id: collectionId }),
    handle: async ({ useCases, principal }, { collection_id: id }) => {
      const caller = await useCases.readTarget(principal, { id, detail: 'full' });
      const api = requireReadableTarget(caller);
      const { name, description } = api;
      const baseUrl = api.baseUrlSetting ?? api.baseUrl;
      const place = credentialPlaceOf(authenticationOf(api));
      const credential = isStored(api) ? 'stored' : 'absent';
      const shownCredential = isStored(api) && isCredentialWithheld(caller, api) ? 'withheld' : credential;
      const isComplete = /^https?:[^{}]*$/i.test(baseUrl);
      const hasVariables = api.baseUrlSetting === null && Object.keys(api.serverVariables).length > 0;
      const lifecycleNote = describeLifecycle(api.lifecycle);
      const lifecycleNotes = lifecycleNote === null ? [] : [lifecycleNote];
      const baseUrlHints = hasVariables ? [variablesHint] : isComplete ? [] : [baseUrlHint];
      return {
        data: {
          collection_id: id,
          name,
          description: toOneLine(description, descriptionMax),
          base_url: baseUrl,
          authentication: place && { ...place },
          credential,
          delivery: api.delivery,
          ...(api.lifecycle.state === 'active' ? {} : { lifecycle: api.lifecycle.state }),
          hint: [...lifecycleNotes, ...baseUrlHints, describeCredential(place, shownCredential)].join(' '),
        },
      };
    },
  }),
  defineTool({
    name: 'read_credential',
    description:
      'The stored credential of an API, to send in a call; refused if its delivery is call. If a call needs several, read each by its scheme. Each ' +
      'reading is audited.',
    // It changes nothing, but returns a secret: clients ask people before they run a tool without the hint.
    isReadOnly: false,
    input: z.object({
      collection_id: collectionId,
      scheme: optional(text({ max: schemeNameMax })).meta({
        description: 'From the authentication of describe_operation, or the credentials of prepare_call.',
      }),
    }),
    handle: async ({ useCases, principal }, { collection_id: id, scheme }) => {
      const api = await useCases.readTarget(principal, { id, detail: 'full' });
      const { collection, authentication } = await useCases.readCredential(api, scheme ?? null);
      const send = toSentCredential(authentication, authentication.value);
      const credential = send ? 'shown' : 'absent';
      const hint = describeCredential(credentialPlaceOf(authentication), credential);
      return {
        data: {
          collection_id: id,
          name: collection.name,
          ...(scheme == null ? {} : { scheme }),
          credential,
          send: send && { ...send },
          hint,
        },
      };
    },
  }),
];

const authenticationOf = ({ storedAuthentication, derivedAuthentication }: Collection) =>
  storedAuthentication ?? derivedAuthentication;

const isStored = ({ storedAuthentication }: Collection): boolean =>
  (storedAuthentication?.sealedValue ?? null) !== null;

const noAccessText =
  'There is no API that you may use. An administrator of this catalog grants access: request_access asks for it, and ' +
  'whoami shows whether anything else is needed.';

const searchHint =
  'Best match first. A low score means that possibly none of them fits; the name alone does not show it.';

const baseUrlHint =
  'base_url is not complete, because the document leaves a part open: an administrator of this catalog can set it. ' +
  'Until then, ask the person you work for.';

const variablesHint =
  'base_url has the defaults of the document, but an administrator set other server variables: use the URLs of ' +
  'describe_operation and prepare_call.';

const describeCredential = (place: CredentialPlace, credential: keyof typeof credentialHints): string =>
  place ? credentialHints[credential] : credentialHints.unknown;

const credentialHints = {
  shown: 'Send it as shown, in calls to this API only, and never show it to anyone.',
  stored: 'read_credential returns the credential.',
  withheld: 'You may not read the credential: call_operation sends calls with it.',
  absent:
    'This catalog stores no credential for it: ask the person you work for. describe_operation says whether another ' +
    'scheme is stored.',
  unknown: 'The API as a whole names no credential that can be stored. describe_operation names those of an operation.',
} as const;

const toLineView = ({ id, name, description, lifecycle }: ListedCollection, distinction: string | undefined) => ({
  collection_id: id,
  name,
  ...toDistinctionView(distinction),
  ...(lifecycle.state === 'active' ? {} : { lifecycle: lifecycle.state }),
  description: toOneLine(description, descriptionLineMax),
});
