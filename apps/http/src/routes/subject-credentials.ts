import type { SubjectPlace } from '@portico/domain';
import { z } from 'zod';
import { createEmptyResponse, toJsonResponse } from '../responses/route-response.ts';
import { type CallerContext, type Context, defineRoute } from '../route.ts';
import { content, credential, credentialInput, schemeParameter, toCredentialView } from './credential-fields.ts';
import { groupOf } from './group-path.ts';
import { resolveProfileId } from './profile-path.ts';
import { collectionIdOf, collectionParameter, groupParameter, memberParameter } from './wire.ts';

const ownPath = '/api/collections/:collection_id/credentials/:scheme/profiles/me';
const profilePath = '/api/collections/:collection_id/credentials/:scheme/profiles/:profile_id';
const groupPath = '/api/collections/:collection_id/credentials/:scheme/groups/:group_id';
const ownParameters = { ...collectionParameter, ...schemeParameter };
const profileParameters = { ...ownParameters, ...memberParameter };
const groupParameters = { ...ownParameters, ...groupParameter };

const own = { params: ownParameters, targetDetail: 'full', auth: 'token or key', scope: null } as const;
const ofProfile = { path: profilePath, params: profileParameters, auth: 'admin', scope: null } as const;
const ofGroup = { path: groupPath, params: groupParameters, auth: 'admin', scope: null } as const;
const storing = {
  bodyKind: 'json',
  body: content,
  bodySchema: credentialInput,
  status: 200,
  response: credential,
} as const;
const removing = { status: 204, response: null } as const;

const ownErrors = ['no_access', 'collection_not_found', 'own_credentials_off'] as const;
const storingErrors = ['scheme_not_found', 'too_many_credentials'] as const;

/** The routes of credentials for a group or a profile, and of the caller's own. */
export const subjectCredentialRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/own-credentials',
    operation: 'listOwnCredentials',
    summary: 'List your own credentials',
    description: 'Without secrets, sorted by scheme. Does not list those for your groups and for everyone.',
    params: collectionParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: null,
    status: 200,
    response: z.array(credential),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller }) =>
      toJsonResponse((await useCases.listOwnCredentials(caller.principal)).map(toCredentialView)),
  }),
  defineRoute({
    ...own,
    ...storing,
    method: 'PUT',
    path: ownPath,
    operation: 'setOwnCredential',
    summary: 'Store your own credential',
    description:
      'Your calls use it instead of any other. It is stored encrypted and never returned. Clients need the setting ' +
      '`own_credentials` of the collection.',
    errors: [...ownErrors, ...storingErrors],
    handler: async ({ useCases, caller, params, body: { fields } }) =>
      toJsonResponse(
        toCredentialView(await useCases.setOwnCredential(caller.principal, params['scheme'] ?? '', fields)),
      ),
  }),
  defineRoute({
    ...own,
    ...removing,
    method: 'DELETE',
    path: ownPath,
    operation: 'removeOwnCredential',
    summary: 'Remove your own credential',
    description: 'Also works if the document no longer has the scheme.',
    errors: [...ownErrors, 'credential_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeOwnCredential(caller.principal, params['scheme'] ?? '');
      return createEmptyResponse();
    },
  }),
  defineRoute({
    ...ofProfile,
    ...storing,
    method: 'PUT',
    operation: 'setProfileCredential',
    summary: "Store a profile's credential",
    description: 'Calls of this profile use it instead of any other. It is stored encrypted and never returned.',
    errors: ['collection_not_found', 'user_not_found', ...storingErrors],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const place = await profilePlaceOf(context);
      return toJsonResponse(
        toCredentialView(await useCases.setSubjectCredential(caller.authority, place, body.fields)),
      );
    },
  }),
  defineRoute({
    ...ofProfile,
    ...removing,
    method: 'DELETE',
    operation: 'removeProfileCredential',
    summary: "Remove a profile's credential",
    description: 'Also works if the document no longer has the scheme.',
    errors: ['collection_not_found', 'user_not_found', 'credential_not_found'],
    handler: async (context) => {
      await context.useCases.removeSubjectCredential(context.caller.authority, await profilePlaceOf(context));
      return createEmptyResponse();
    },
  }),
  defineRoute({
    ...ofGroup,
    ...storing,
    method: 'PUT',
    operation: 'setGroupCredential',
    summary: "Store a group's credential",
    description:
      'Calls of its members use it instead of the one for everyone. It is stored encrypted and never returned. If several groups of a ' +
      'caller have one, its calls need one of its own.',
    errors: ['collection_not_found', 'group_not_found', ...storingErrors],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const place = await groupPlaceOf(context);
      return toJsonResponse(
        toCredentialView(await useCases.setSubjectCredential(caller.authority, place, body.fields)),
      );
    },
  }),
  defineRoute({
    ...ofGroup,
    ...removing,
    method: 'DELETE',
    operation: 'removeGroupCredential',
    summary: "Remove a group's credential",
    description: 'Also works if the document no longer has the scheme.',
    errors: ['collection_not_found', 'group_not_found', 'credential_not_found'],
    handler: async (context) => {
      await context.useCases.removeSubjectCredential(context.caller.authority, await groupPlaceOf(context));
      return createEmptyResponse();
    },
  }),
] as const;

type AdminContext = Pick<Context<'admin', unknown, unknown>, 'useCases' | 'params'> & {
  readonly caller: CallerContext<'admin'>;
};

const placeOf = ({ params }: AdminContext, subject: SubjectPlace['subject']): SubjectPlace => ({
  collectionId: collectionIdOf(params['collection_id']),
  scheme: params['scheme'] ?? '',
  subject,
});

const profilePlaceOf = async (context: AdminContext): Promise<SubjectPlace> => {
  const { useCases, caller, params } = context;
  const id = await resolveProfileId(useCases, caller.authority, params['profile_id']);
  return placeOf(context, { kind: 'profile', id });
};

const groupPlaceOf = async (context: AdminContext): Promise<SubjectPlace> =>
  placeOf(context, { kind: 'group', id: await groupOf(context) });
