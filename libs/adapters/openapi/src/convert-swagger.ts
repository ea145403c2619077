import { parseExactJson, writeExactJson, type Json, type JsonObject } from '@portico/domain';
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
  const document = parseExactJson(Buffer.from(text).toString()) as JsonObject;
  const { openapi, ...rest } = upgrade({ ...document, swagger: '2.0' });
  return Buffer.from(writeExactJson({ openapi, ...rest }));
}

function upgrade(document: JsonObject): JsonObject {
  let result: unknown;
  try {
    result = upgradeFromTwoToThree(document);
  } catch (error) {
    // The converter expects the types that Swagger prescribes, and throws for any others.
    throw createInvalidBodyError(`Swagger 2.0 cannot be converted to OpenAPI 3.0: ${(error as Error).message}`, error);
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
