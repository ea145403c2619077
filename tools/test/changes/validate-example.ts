import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { isJsonArray, valueAt, type Change, type Json, type JsonObject } from '@portico/domain';

/**
 * Validates values with the schemas of one document: an independent check of examples. OpenAPI 3.0 is rewritten as JSON Schema
 * 2020-12.
 */
export class ExampleValidator {
  readonly #document: Json;
  readonly #ajv = formatsPlugin.default(new Ajv2020({ strict: false, logger: false }));
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: JsonObject) {
    this.#document = (document['openapi'] as string).startsWith('3.0') ? toJsonSchema(document) : document;
    this.#ajv.addSchema(this.#document as object, 'document');
  }

  /** Whether the schema at a change's place accepts a value. */
  accepts(change: Change, value: Json): boolean {
    const pointer = this.#pointerOf(change);
    let validate = this.#validators.get(pointer);
    if (!validate) this.#validators.set(pointer, (validate = this.#ajv.compile({ $ref: `document#${pointer}` })));
    return validate(value);
  }

  /** Returns the JSON Pointer of the whole schema that a change is in, as a fragment of a URI. */
  #pointerOf({ operation, place }: Change): string {
    const path = this.#pathOf(operation?.path ?? '');
    const [, parameterLocation, parameterName] = /^(path|query|header|cookie) parameter (\S+)/.exec(place) ?? [];
    const operationPath = ['paths', path, (operation?.method ?? '').toLowerCase()];
    if (parameterName !== undefined) {
      const parameters = (valueAt(this.#document, [...operationPath, 'parameters']) ?? []) as readonly JsonObject[];
      const index = parameters.findIndex(
        ({ name, in: location }) => name === parameterName && location === parameterLocation,
      );
      return toPointer([...operationPath, 'parameters', `${index}`, 'schema']);
    }
    const [, status, headerName] = /^response (\S+) header (\S+)/.exec(place) ?? [];
    if (headerName !== undefined) {
      const headersPath = [...operationPath, 'responses', status ?? '', 'headers'];
      const names = Object.keys((valueAt(this.#document, headersPath) ?? {}) as JsonObject);
      return toPointer([...headersPath, names.find((name) => name.toLowerCase() === headerName) ?? '', 'schema']);
    }
    const [, responseStatus, mediaType = ''] = /^(?:request body|response (\S+)) (\S+)/.exec(place) ?? [];
    const bodyPath = responseStatus === undefined ? ['requestBody'] : ['responses', responseStatus];
    return toPointer([...operationPath, ...bodyPath, 'content', mediaType, 'schema']);
  }

  /** Returns the path of this document that differs only in the names of parameters. */
  #pathOf(path: string): string {
    const normalize = (text: string) => text.replaceAll(/\{[^}]*\}/g, '{}');
    const paths = Object.keys((valueAt(this.#document, ['paths']) ?? {}) as JsonObject);
    return paths.find((candidate) => normalize(candidate) === normalize(path)) ?? path;
  }
}

const toPointer = (path: readonly string[]): string =>
  path.map((token) => `/${encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Rewrites the keywords that differ, in schemas and wherever else they occur. */
const toJsonSchema = (value: Json): Json => {
  if (isJsonArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(([key, member]) => [key, toJsonSchema(member)] as const);
  const object: Record<string, Json> = Object.fromEntries(entries);
  if (object['nullable'] === true && typeof object['type'] === 'string') object['type'] = [object['type'], 'null'];
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof object[exclusive] !== 'boolean') continue;
    const isExclusive = object[exclusive] && object[bound] !== undefined;
    if (isExclusive) object[exclusive] = object[bound] ?? 0;
    else delete object[exclusive];
    if (isExclusive) delete object[bound];
  }
  return object;
};
