import { tick } from '@portico/composition';
import {
  authorityOf,
  parseId,
  personAuthorityOf,
  type CollectionId,
  type Credential,
  type DocumentReader,
  type MemberRead,
  type Target,
  type UseCases,
} from '@portico/domain';
import { z } from 'zod';
import { addLifecycleHeaders } from './responses/lifecycle-headers.ts';
import type { RouteResponse } from './responses/route-response.ts';
import type { BodyCache } from './responses/tagged-response.ts';
import type { Exchange } from './exchange.ts';
import {
  formMediaType,
  jsonMediaType,
  parseJsonBody,
  readBodyBytes,
  checkMediaType,
  rejectPollutingMembers,
  type JsonBody,
} from './requests/body.ts';
import { validateBody, validateQuery } from './requests/fields.ts';
import { rejectForeignOrigin } from './requests/origin.ts';
import { requireScopes, scopesOfBody, scopesOfQuery } from './requests/scoped-parts.ts';
import { documentMember, type Route, type RouteBody, type ServiceInfo } from './route.ts';
import type { HttpSettings } from './settings.ts';

export interface PipelineDependencies {
  readonly useCases: UseCases;
  readonly settings: HttpSettings;
  readonly service: ServiceInfo;
  readonly bodies: BodyCache;
  readonly documents: Pick<DocumentReader, 'readMember'>;
  /** Returns the credential of a request, from its headers as received. */
  readonly readCredential: (rawHeaders: readonly string[]) => Credential;
}

type Params = Readonly<Record<string, string>>;

/**
 * Handles a request according to its row of the route table. The order of the checks is fixed (specification, section
 * 1): identity, rate limit, role; then query and body; then the handler's own checks: existence, grants, conflicts.
 */
export const handleRoute = async (
  dependencies: PipelineDependencies,
  route: Route,
  exchange: Exchange,
  params: Params,
): Promise<RouteResponse> => {
  const { useCases, service, bodies } = dependencies;
  const { request, deadline } = exchange;
  exchange.expectsBody = route.body !== null;
  await tick.authorize();
  const isComplete = request.complete;
  let caller = await admitCaller(dependencies, route, exchange, params);
  if (route.requiresSameOrigin) rejectForeignOrigin(request, dependencies.settings);
  deadline.throwIfExpired();
  const query = validateQuery(route.query ?? noParameters, request.url ?? '', route);
  let body: unknown = null;
  if (route.body) {
    const bytes = await receiveBody(dependencies.settings, route.body, route.bodyBytesMax ?? 0, exchange);
    // The caller may have lost its rights while delaying the end of the body.
    if (!isComplete) {
      await tick.authorize();
      caller = await admitCaller(dependencies, route, exchange, params, { rateLimit: exchange.rateLimit });
    }
    const currentCaller = caller;
    body = await parseBody(dependencies.documents, route.body, exchange, bytes, (members) => {
      if (currentCaller && 'principal' in currentCaller)
        requireScopes(currentCaller.principal, scopesOfBody(route, members));
    });
  }
  deadline.throwIfExpired();
  const context = { useCases, service, bodies, caller, params, query, body, request, sender: exchange };
  const response = await route.handler(context);
  return caller && 'principal' in caller && route.auth === 'token or key'
    ? addLifecycleHeaders(response, caller.principal.target)
    : response;
};

const noParameters = z.object({});

/**
 * Admits the caller. With `previousAdmission`, authorizes it again, because its request was admitted before the body was
 * complete.
 */
const admitCaller = async (
  { useCases, readCredential }: PipelineDependencies,
  route: Route,
  exchange: Exchange,
  params: Params,
  previousAdmission: Pick<Exchange, 'rateLimit'> | null = null,
) => {
  const { auth, scope } = route;
  const { deadline } = exchange;
  if (auth === 'free') return null;
  const credential = readCredential(exchange.request.rawHeaders);
  if (auth === 'open') {
    const { identity, rateLimit } = await useCases.admitRegistration({
      credential,
      sender: exchange,
      previousAdmission,
    });
    exchange.rateLimit = rateLimit;
    return { identity, deadline };
  }
  const { principal, rateLimit } = await useCases.admit({
    credential,
    auth,
    scope,
    target: targetOf(route, params),
    sender: exchange,
    deadline,
    tokenUse: route.acceptsAccessTokens ? 'identity or access' : 'identity',
    unregisteredCode: route.unregisteredError,
    previousAdmission,
  });
  exchange.rateLimit = rateLimit;
  if (principal.via === 'account') exchange.accountId = principal.profile.id;
  else if (principal.via !== 'operator') exchange.profileId = principal.profile.id;
  exchange.clientId = credential.kind === 'key' ? credential.clientId : null;
  requireScopes(principal, scopesOfQuery(route, exchange.request.url ?? ''));
  if (auth !== 'admin') return { principal };
  return { principal, authority: (scope === null ? personAuthorityOf : authorityOf)(principal) };
};

const targetOf = ({ targetDetail }: Route, params: Params): Target | null => {
  const id = targetDetail && parseId<CollectionId>(params['collection_id'] ?? '');
  return id ? { id, detail: targetDetail } : null;
};

const noMembers: MemberRead = { fields: {}, document: null };

/** Far more than any form of this service needs. */
const formLimitBytes = 16_384;

const receiveBody = async (
  settings: HttpSettings,
  body: RouteBody,
  bytesMax: number,
  exchange: Exchange,
): Promise<Uint8Array> => {
  const { request, deadline } = exchange;
  deadline.suspend();
  const limitBytes = {
    document: settings.specBodyLimitBytes,
    json: Math.max(settings.bodyLimitBytes, bytesMax),
    form: Math.min(formLimitBytes, settings.bodyLimitBytes),
  }[body.kind];
  const bytes = await readBodyBytes(request, limitBytes, () => exchange.sendContinue(), mediaTypeOf(body));
  deadline.restart();
  return bytes;
};

const mediaTypeOf = ({ kind }: RouteBody) => (kind === 'form' ? formMediaType : jsonMediaType);

/** Parses a body. Checks scopes before validating the body: 403 comes before 400. */
const parseBody = async (
  documents: PipelineDependencies['documents'],
  body: RouteBody,
  { request, deadline }: Exchange,
  bytes: Uint8Array,
  checkScopes: (members: JsonBody['value']) => void,
): Promise<unknown> => {
  if (bytes.length > 0) checkMediaType(request, mediaTypeOf(body));
  if (body.kind === 'form') return new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  const { kind, fields, extraVersions } = body;
  if (kind === 'json') {
    const json = parseJsonBody(bytes);
    checkScopes(json.value);
    return { fields: validateBody(fields, json.value), readMemberText: json.readMemberText };
  }
  const memberRead =
    bytes.length === 0 ? noMembers : await documents.readMember(bytes, documentMember, deadline, extraVersions);
  checkScopes(memberRead.fields);
  const validFields = validateBody(fields, memberRead.fields);
  for (const name of Object.keys(validFields as object)) rejectPollutingMembers(memberRead.fields[name], name);
  return { fields: validFields, document: memberRead.document };
};
