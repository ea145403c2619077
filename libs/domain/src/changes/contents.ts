import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveObject } from '../operations/references.ts';

/** Returns the media types of a body, in lower case and without their `charset`. */
export const mediaTypesOf = (body: JsonObject): ReadonlyMap<string, JsonObject> => {
  const content = memberOf(body, 'content');
  const entries = isJsonObject(content) ? Object.entries(content) : [];
  return new Map(entries.map(([name, media]) => [plainTypeOf(name), isJsonObject(media) ? media : {}]));
};

/** Returns a media type in one spelling, without parameters that describe only how it is sent. */
export const plainTypeOf = (name: string): string => {
  const [type = '', ...parameters] = name.split(';').map((part) => part.trim().toLowerCase());
  return [type, ...parameters.filter((parameter) => !/^(charset|boundary)\s*=/.test(parameter))].join(';');
};

/** Returns the entry of the media type without parameters, or of a range that includes it. */
export const findRange = (
  contents: ReadonlyMap<string, JsonObject> | undefined,
  mediaType: string,
): JsonObject | undefined => {
  const [plain = ''] = mediaType.split(';');
  const [type] = plain.split('/');
  return [plain.trim(), `${type}/*`, '*/*'].map((name) => contents?.get(name)).find((media) => media !== undefined);
};

/** Whether a media type is one of a range of them. */
export const isInRange = (mediaType: string, range: string): boolean =>
  range === '*/*' || (range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1)));

export const responsesOf = (document: Json, { operation }: DocumentOperation): ReadonlyMap<string, JsonObject> => {
  const responses = memberOf(operation, 'responses');
  const entries = isJsonObject(responses) ? Object.entries(responses) : [];
  return new Map(
    entries
      .filter(([status]) => /^([1-5]([0-9]{2}|XX)|default)$/i.test(status))
      .map(([status, response]) => [
        status === 'default' ? status : status.toUpperCase(),
        resolveObject(document, response) ?? {},
      ]),
  );
};

/** Returns the response that describes a status: its own, or that of its range; the default one if only that may. */
export const responseOf = (responses: ReadonlyMap<string, JsonObject>, status: string): JsonObject | undefined => {
  const own = responses.get(status) ?? responses.get(`${status.charAt(0)}XX`);
  // Next to successful responses, the default one describes errors.
  const hasSuccess = [...responses.keys()].some((name) => name.startsWith('2'));
  return own ?? (status.startsWith('2') && hasSuccess ? undefined : responses.get('default'));
};

/** Returns the schema of a header, which may be that of its only media type. */
export const schemaOfHeader = (header: JsonObject): Json | undefined => {
  const [media] = mediaTypesOf(header).values();
  return memberOf(header, 'schema') ?? memberOf(media, 'schema');
};

/**
 * Returns the headers of a response by name in lower case. `Content-Type` is not one (OpenAPI 3.1, section 4.8.17.1).
 */
export const headersOf = (document: Json, response: JsonObject): ReadonlyMap<string, JsonObject> => {
  const headers = memberOf(response, 'headers');
  const entries = isJsonObject(headers) ? Object.entries(headers) : [];
  return new Map(
    entries
      .map(([name, header]) => [name.toLowerCase(), resolveObject(document, header) ?? {}] as const)
      .filter(([name]) => name !== 'content-type'),
  );
};
