import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveObject } from '../operations/references.ts';

/** Returns the media types of a body, in lower case and without parameters other than a version. */
export const mediaTypesOf = (body: JsonObject): ReadonlyMap<string, JsonObject> => {
  const content = memberOf(body, 'content');
  const entries = isJsonObject(content) ? Object.entries(content) : [];
  return new Map(entries.map(([name, media]) => [name.trim().toLowerCase(), isJsonObject(media) ? media : {}]));
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

/** Returns the headers of a response by name in lower case. `Content-Type` is not one (OpenAPI 3.1, section 4.8.17.1). */
export const headersOf = (document: Json, response: JsonObject): ReadonlyMap<string, JsonObject> => {
  const headers = memberOf(response, 'headers');
  const entries = isJsonObject(headers) ? Object.entries(headers) : [];
  return new Map(
    entries
      .map(([name, header]) => [name.toLowerCase(), resolveObject(document, header) ?? {}] as const)
      .filter(([name]) => name !== 'content-type'),
  );
};
