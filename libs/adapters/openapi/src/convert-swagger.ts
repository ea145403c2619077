import {
  isJsonObject,
  operationMethods,
  parseMarkedJson,
  writeMarkedJson,
  type Json,
  type JsonObject,
} from '@portico/domain';
import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { createInvalidBodyError } from './read-json.ts';

/**
 * Maximum number of values in a converted document: the converter repeats a schema for each media type, so a small
 * document can become a very large one.
 */
const valuesMax = 2_000_000;

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0. Numbers keep their digits. The result is the same for the same text.
 * Fetches nothing. Throws `invalid_body` if the document has a form that cannot be converted.
 */
export function convertSwagger(text: Uint8Array): Uint8Array {
  const document = parseMarkedJson(Buffer.from(text).toString()) as JsonObject;
  const paths = document['paths'] ?? null;
  const convertiblePaths = isJsonObject(paths) ? mapObjects(paths, selectConvertible) : paths;
  const { openapi, ...rest } = upgrade({ ...document, swagger: '2.0', paths: convertiblePaths });
  return Buffer.from(writeMarkedJson({ openapi, ...rest, paths: restoreExtensions(rest['paths'] ?? null, paths) }));
}

/** Returns only the object's members that are objects, mapped. */
const mapObjects = (object: JsonObject, map: (value: JsonObject) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (isJsonObject(value) ? [[name, map(value)]] : [])),
  );

/** Returns the members of a path item that the converter reads: it takes all others, such as extensions, for operations. */
const selectConvertible = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(item).filter(([name, value]) =>
      operationMethods.includes(name) ? isJsonObject(value) : name === 'parameters' || name === '$ref',
    ),
  );

/** Returns converted paths with all members that the converter did not read. */
function restoreExtensions(convertedPaths: Json, paths: Json): Json {
  if (!isJsonObject(paths) || !isJsonObject(convertedPaths)) return convertedPaths;
  const items = Object.entries(paths).map(([path, item]) => {
    const convertedItem = convertedPaths[path];
    if (!isJsonObject(item) || !isJsonObject(convertedItem)) return [path, item] as const;
    const extensions = Object.entries(item).filter(([name]) => !Object.hasOwn(selectConvertible(item), name));
    return [path, { ...convertedItem, ...Object.fromEntries(extensions) }] as const;
  });
  return Object.fromEntries(items);
}

function upgrade(document: JsonObject): JsonObject {
  let result: unknown;
  try {
    result = upgradeFromTwoToThree(document);
  } catch (error) {
    // The converter expects the types that Swagger prescribes, and throws for any others.
    throw createInvalidBodyError(
      'the document cannot be converted to OpenAPI 3.0, because it departs from Swagger 2.0: check that its paths, ' +
        'operations, responses and definitions are objects, and its parameters lists of objects',
      error,
    );
  }
  if (countValues(result) > valuesMax)
    throw createInvalidBodyError(`too large to be checked: more than ${valuesMax} values as OpenAPI 3.0`);
  return result as JsonObject;
}

/** Counts the values, those that occur several times too. Stops soon after the maximum. */
function countValues(root: unknown): number {
  let count = 0;
  const add = (value: unknown): void => {
    if (++count > valuesMax || typeof value !== 'object' || value === null) return;
    for (const member of Object.values(value as Readonly<Record<string, Json>>)) {
      if (count > valuesMax) return;
      add(member);
    }
  };
  add(root);
  return count;
}
