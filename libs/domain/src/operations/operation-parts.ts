import { localPath, memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { followedObject } from './references.ts';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

const parameterPlaces: readonly string[] = ['path', 'query', 'header', 'cookie'];

export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  readonly object: JsonObject;
}

/**
 * The parameters of an operation and of its path, required ones first; those of the operation override those of the
 * path that have the same name and place. What is no parameter is left out.
 */
export function parametersOf(document: Json, { item, operation }: DocumentOperation): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const value of [...listOf(item, 'parameters'), ...listOf(operation, 'parameters')]) {
    const object = followedObject(document, value);
    const [name, place] = [memberOf(object, 'name'), memberOf(object, 'in')];
    if (!object || typeof name !== 'string' || !isParameterPlace(place)) continue;
    const required = place === 'path' || memberOf(object, 'required') === true;
    found.set(`${place} ${name}`, { name, in: place, required, object });
  }
  return [...found.values()].sort((a, b) => Number(b.required) - Number(a.required));
}

const isParameterPlace = (value: Json | undefined): value is ParameterPlace =>
  typeof value === 'string' && parameterPlaces.includes(value);

/** References of parameters that lead out of the document. */
export const externalParameters = (document: Json, { item, operation }: DocumentOperation): string[] =>
  [...listOf(item, 'parameters'), ...listOf(operation, 'parameters')].flatMap((value) => {
    const reference = memberOf(followedObject(document, value), '$ref');
    return typeof reference === 'string' && localPath(reference) === undefined ? [reference] : [];
  });

/** A body's content in one media type. */
export interface Content {
  readonly mediaType: string;
  readonly schema: Json | undefined;
  /** The other media types. */
  readonly others: readonly string[];
}

/** The content that is easiest to write for a caller: JSON, then forms, then what comes first. */
export function contentOf(object: JsonObject | undefined): Content | undefined {
  const content = memberOf(object, 'content');
  const mediaTypes = isJsonObject(content) ? Object.keys(content) : [];
  const mediaType = preferences.map((is) => mediaTypes.find(is)).find((found) => found !== undefined);
  if (mediaType === undefined) return undefined;
  const others = mediaTypes.filter((one) => one !== mediaType);
  return { mediaType, schema: memberOf(memberOf(content, mediaType), 'schema'), others };
}

/** Without regard to case, as media types are (RFC 9110, section 8.3.1). */
export const isJsonMediaType = (mediaType: string): boolean =>
  /^application\/([^;\s]+\+)?json\s*(;|$)/i.test(mediaType);
export const isFormMediaType = (mediaType: string): boolean => /^application\/x-www-form-urlencoded/i.test(mediaType);
export const isMultipart = (mediaType: string): boolean => /^multipart\//i.test(mediaType);

const preferences: readonly ((mediaType: string) => boolean)[] = [
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
  const object = followedObject(document, memberOf(operation, 'requestBody'));
  return object && { required: memberOf(object, 'required') === true, object, content: contentOf(object) };
}

export interface Response {
  /** `200`, `4XX`, `default`. */
  readonly status: string;
  readonly object: JsonObject;
}

export function responsesOf(document: Json, { operation }: DocumentOperation): Response[] {
  const responses = memberOf(operation, 'responses');
  return Object.entries(isJsonObject(responses) ? responses : {}).flatMap(([status, value]) => {
    const object = status.startsWith('x-') ? undefined : followedObject(document, value);
    return object ? [{ status, object }] : [];
  });
}

/** The first response that tells of success. */
export const successOf = (responses: readonly Response[]): Response | undefined =>
  responses.find(({ status }) => /^2/.test(status)) ?? responses.find(({ status }) => status === 'default');

export const listOf = (object: JsonObject, name: string): readonly Json[] => {
  const list = memberOf(object, name);
  return isJsonArray(list) ? list : [];
};

/** A member that is a text. */
export const textIn = (object: JsonObject, name: string): string | null => {
  const text = memberOf(object, name);
  return typeof text === 'string' ? text.toWellFormed() : null;
};
