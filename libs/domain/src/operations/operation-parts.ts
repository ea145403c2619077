import { localPathOf, memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { resolveObject } from './references.ts';

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

const parameterLocations: readonly string[] = ['path', 'query', 'header', 'cookie'];

export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly object: JsonObject;
}

/**
 * Returns the parameters of an operation and of its path, required ones first; those of the operation override those of
 * the path with the same name and location. Values that are not parameters are omitted.
 */
export function parametersOf(document: Json, { pathItem, operation }: DocumentOperation): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const value of [...listOf(pathItem, 'parameters'), ...listOf(operation, 'parameters')]) {
    const object = resolveObject(document, value);
    const [name, location] = [memberOf(object, 'name'), memberOf(object, 'in')];
    if (!object || typeof name !== 'string' || !isParameterLocation(location)) continue;
    const required = location === 'path' || memberOf(object, 'required') === true;
    parameters.set(`${location} ${name}`, { name, in: location, required, object });
  }
  return [...parameters.values()].sort((a, b) => Number(b.required) - Number(a.required));
}

const isParameterLocation = (value: Json | undefined): value is ParameterLocation =>
  typeof value === 'string' && parameterLocations.includes(value);

/** Returns the references in parameters that point outside the document. */
export const listExternalParameters = (document: Json, { pathItem, operation }: DocumentOperation): string[] =>
  [...listOf(pathItem, 'parameters'), ...listOf(operation, 'parameters')].flatMap((value) => {
    const reference = memberOf(resolveObject(document, value), '$ref');
    return typeof reference === 'string' && localPathOf(reference) === undefined ? [reference] : [];
  });

/** The content of a body in one media type. */
export interface Content {
  readonly mediaType: string;
  readonly schema: Json | undefined;
  /** The other media types. */
  readonly otherMediaTypes: readonly string[];
}

/** Returns the content that is easiest for a caller to write: JSON, then forms, then the first one. */
export function contentOf(object: JsonObject | undefined): Content | undefined {
  const content = memberOf(object, 'content');
  const mediaTypes = isJsonObject(content) ? Object.keys(content) : [];
  const mediaType = mediaTypePreferences
    .map((predicate) => mediaTypes.find(predicate))
    .find((match) => match !== undefined);
  if (mediaType === undefined) return undefined;
  const otherMediaTypes = mediaTypes.filter((otherMediaType) => otherMediaType !== mediaType);
  return { mediaType, schema: memberOf(memberOf(content, mediaType), 'schema'), otherMediaTypes };
}

/** Whether a media type is JSON; ignores case, as required for media types (RFC 9110, section 8.3.1). */
export const isJsonMediaType = (mediaType: string): boolean =>
  /^application\/([^;\s]+\+)?json\s*(;|$)/i.test(mediaType);
export const isFormMediaType = (mediaType: string): boolean => /^application\/x-www-form-urlencoded/i.test(mediaType);
export const isMultipart = (mediaType: string): boolean => /^multipart\//i.test(mediaType);

const mediaTypePreferences: readonly ((mediaType: string) => boolean)[] = [
  isJsonMediaType,
  (mediaType) => /\bjson\b/i.test(mediaType),
  isFormMediaType,
  isMultipart,
  () => true,
];

export interface RequestBody {
  readonly required: boolean;
  readonly object: JsonObject;
  readonly content: Content | undefined;
}

export function requestBodyOf(document: Json, { operation }: DocumentOperation): RequestBody | undefined {
  const object = resolveObject(document, memberOf(operation, 'requestBody'));
  return object && { required: memberOf(object, 'required') === true, object, content: contentOf(object) };
}

export interface Response {
  /** The status, such as `200`, `4XX` or `default`. */
  readonly status: string;
  readonly object: JsonObject;
}

export function responsesOf(document: Json, { operation }: DocumentOperation): Response[] {
  const responses = memberOf(operation, 'responses');
  return Object.entries(isJsonObject(responses) ? responses : {}).flatMap(([status, value]) => {
    const object = status.startsWith('x-') ? undefined : resolveObject(document, value);
    return object ? [{ status, object }] : [];
  });
}

/** Returns the first response that indicates success. */
export const findSuccess = (responses: readonly Response[]): Response | undefined =>
  responses.find(({ status }) => /^2/.test(status)) ?? responses.find(({ status }) => status === 'default');

export const listOf = (object: JsonObject, name: string): readonly Json[] => {
  const list = memberOf(object, name);
  return isJsonArray(list) ? list : [];
};

/** Returns a member as a well-formed string; null if it is not a string. */
export const textAt = (object: JsonObject, name: string): string | null => {
  const text = memberOf(object, name);
  return typeof text === 'string' ? text.toWellFormed() : null;
};
