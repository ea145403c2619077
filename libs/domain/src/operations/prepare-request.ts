import type { Json, JsonObject } from '../json.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import type { ValueError } from '../errors.ts';
import { buildRequest, UnsendableError, type RequestValues } from './build-request.ts';
import type { ApiCredential } from './credentials.ts';
import { toWireRequest, type HttpRequest, type WireRequest } from './http-request.ts';
import { argumentsOf, type Argument } from './operation-arguments.ts';
import { printCurl } from './operation-curl.ts';
import { nameArguments, type NamedArguments } from './named-arguments.ts';
import type { Source } from './references.ts';
import { createSampleValues } from './sample-values.ts';
import { describeRequest, type OperationContext, type RequestDescription } from './request-description.ts';
import { ArgumentValidator, errorsMax, escapeToken } from './validate-arguments.ts';

/** A request that a caller can send, once the credentials are added. It contains no secret. */
export interface PreparedRequest extends WireRequest {
  readonly method: string;
  readonly url: string;
  readonly credentials: readonly ApiCredential[];
  readonly curl: string | null;
  readonly warnings: readonly string[];
}

export type Preparation = { readonly request: PreparedRequest } | { readonly errors: readonly ValueError[] };

/**
 * Turns the arguments of an operation's tool into a request, serialised as OpenAPI says (extensions, section 1), or
 * lists their errors.
 */
export function prepareRequest(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
  values: JsonObject,
): Preparation {
  const description = describeRequest(source, operation, context);
  const args = argumentsOf(description);
  const namedArguments = nameArguments(description, args, values);
  const { value, errors } = validateArguments(description, args, namedArguments);
  if (errors.length > 0) return { errors };
  try {
    const request = buildRequest(description, toRequestValues(description, args, value, namedArguments.otherMembers));
    return { request: toPreparedRequest(description, request) };
  } catch (error) {
    if (!(error instanceof UnsendableError)) throw error;
    const argument = args.find(({ parameter }) => parameter !== null && parameter === error.parameter);
    return { errors: [{ pointer: argument ? `/${escapeToken(argument.key)}` : '', message: error.message }] };
  }
}

function validateArguments(
  description: RequestDescription,
  args: readonly Argument[],
  { values, otherMembers, errors: nameErrors }: NamedArguments,
): { value: JsonObject; errors: readonly ValueError[] } {
  const validator = new ArgumentValidator(description.reader);
  const isSent =
    description.body?.required ||
    otherMembers.size > 0 ||
    args.some(({ key, in: location }) => location === 'body' && values.has(key));
  const errors: ValueError[] = [...nameErrors];
  const members = args.flatMap(({ key, in: location, required, schema }): [string, Json][] => {
    const argument = values.get(key);
    const result = argument ? validator.validate(schema, argument.value, argument.pointer) : null;
    // A null argument counts as absent where null is not a value.
    if (result && (argument?.value !== null || result.errors.length === 0)) {
      errors.push(...result.errors);
      return [[key, result.value]];
    }
    if (required && (location !== 'body' || isSent))
      errors.push({ pointer: `/${escapeToken(key)}`, message: 'is required' });
    return [];
  });
  return { value: Object.fromEntries(members), errors: errors.slice(0, errorsMax) };
}

function toRequestValues(
  description: RequestDescription,
  args: readonly Argument[],
  values: JsonObject,
  otherMembers: ReadonlyMap<string, Json>,
): RequestValues {
  const present = args.filter(({ key }) => Object.hasOwn(values, key));
  const valueOf = ({ key }: Argument): Json => values[key] ?? null;
  const bodyArguments = present.filter(({ in: location }) => location === 'body');
  const [wholeBody] = bodyArguments.filter(({ name }) => name === '');
  const isWhole = args.some(({ in: location, name }) => location === 'body' && name === '');
  const members = Object.fromEntries([
    ...otherMembers,
    ...bodyArguments.map((argument): [string, Json] => [argument.name, valueOf(argument)]),
  ]);
  const hasMembers = Object.keys(members).length > 0 || (description.body?.required === true && !isWhole);
  return {
    parameters: present.flatMap((argument) =>
      argument.parameter ? [[argument.parameter, valueOf(argument)] as const] : [],
    ),
    body: isWhole ? wholeBody && valueOf(wholeBody) : hasMembers ? members : undefined,
  };
}

/** Returns a request with its command line and warnings for the caller. */
export function toPreparedRequest(description: RequestDescription, request: HttpRequest): PreparedRequest {
  const { address, authentication, externalOperation, externalParameters } = description;
  const unplaced = request.credentials.filter((credential) => credential.in === null);
  return {
    method: request.method,
    url: request.url,
    ...toWireRequest(request),
    credentials: request.credentials,
    curl: printCurl(request),
    warnings: [
      ...address.warnings,
      ...(authentication === null ? ['The document does not say whether a credential is needed.'] : []),
      ...unplaced.map(({ hint }) => `The request needs ${hint ?? 'a credential'}, which is not described here.`),
      ...(externalOperation === null
        ? []
        : ['The description of the operation is in another file, and is missing here.']),
      ...(externalParameters.length === 0
        ? []
        : ['Some parameters are described in another file, and are missing here.']),
    ],
  };
}

/** Returns a sample request with the document's examples or placeholders; null if no such request can be sent. */
export function prepareSample(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
): PreparedRequest | null {
  const description = describeRequest(source, operation, context);
  try {
    return toPreparedRequest(description, buildRequest(description, createSampleValues(description)));
  } catch (error) {
    if (error instanceof UnsendableError) return null;
    throw error;
  }
}
