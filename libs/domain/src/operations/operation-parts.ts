import { memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { resolveObject } from './references.ts';

/** The content of a body in one media type. */
export interface Content {
  /** As in the document; may be a range, such as `text/*`. */
  readonly mediaType: string;
  readonly object: JsonObject;
  /** The other media types. */
  readonly otherMediaTypes: readonly string[];
}

/** Returns the content that is easiest for a caller to write: JSON, then forms, then the first one; ranges come last. */
export function contentOf(object: JsonObject | undefined): Content | undefined {
  const content = object && memberOf(object, 'content');
  if (!isJsonObject(content)) return undefined;
  const mediaTypes = Object.keys(content).filter((mediaType) => isJsonObject(memberOf(content, mediaType)));
  const mediaType = mediaTypePreferences
    .map((predicate) => mediaTypes.find(predicate))
    .find((match) => match !== undefined);
  const value = mediaType === undefined ? undefined : memberOf(content, mediaType);
  if (mediaType === undefined || !isJsonObject(value)) return undefined;
  return { mediaType, object: value, otherMediaTypes: mediaTypes.filter((other) => other !== mediaType) };
}

/** Whether a media type is JSON; ignores case, as required for media types (RFC 9110, section 8.3.1). */
export const isJsonMediaType = (mediaType: string): boolean => /^[^/]+\/([^;\s]+\+)?json\s*(;|$)/i.test(mediaType);
export const isFormMediaType = (mediaType: string): boolean => /^application\/x-www-form-urlencoded/i.test(mediaType);
export const isMultipart = (mediaType: string): boolean => /^multipart\//i.test(mediaType);
export const isMediaRange = (mediaType: string): boolean => mediaType.includes('*');

const mediaTypePreferences: readonly ((mediaType: string) => boolean)[] = [
  (mediaType) => /^application\/json\s*(;|$)/i.test(mediaType),
  (mediaType) => isJsonMediaType(mediaType) && !isMediaRange(mediaType),
  isFormMediaType,
  (mediaType) => isMultipart(mediaType) && !isMediaRange(mediaType),
  (mediaType) => !isMediaRange(mediaType),
  isJsonMediaType,
  () => true,
];

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

/**
 * Returns the media types of a success, for the header `Accept`; null if a success is JSON or has no content, so that
 * any `Accept` is right.
 */
export function acceptOf(responses: readonly Response[]): string | null {
  const content = memberOf(findSuccess(responses)?.object, 'content');
  const mediaTypes = isJsonObject(content) ? Object.keys(content).map((mediaType) => mediaType.trim()) : [];
  const valid = mediaTypes.filter((mediaType) => /^[!-~]+\/[!-~ ]+$/.test(mediaType));
  return valid.length === 0 || valid.some((mediaType) => isJsonMediaType(mediaType)) ? null : valid.join(', ');
}

/** Returns the example of a parameter, header or media type, the first one if there are several. */
export function exampleOf(document: Json, object: JsonObject): Json | undefined {
  const example = memberOf(object, 'example');
  if (example !== undefined) return example;
  const examples = memberOf(object, 'examples');
  for (const value of isJsonObject(examples) ? Object.values(examples) : []) {
    const resolved = resolveObject(document, value);
    const exampleValue = resolved && memberOf(resolved, 'value');
    if (exampleValue !== undefined) return exampleValue;
  }
  return undefined;
}

/** Returns an object's unresolved reference, which points outside the document or has no target. */
export const referenceOf = (object: JsonObject): string | undefined => {
  const reference = memberOf(object, '$ref');
  return typeof reference === 'string' ? reference : undefined;
};

export const listOf = (object: Json | undefined, name: string): readonly Json[] => {
  const list = memberOf(object, name);
  return isJsonArray(list) ? list : [];
};

/** Returns a member as a well-formed string; null if it is not a string. */
export const textAt = (object: JsonObject, name: string): string | null => {
  const text = memberOf(object, name);
  return typeof text === 'string' ? text.toWellFormed() : null;
};
