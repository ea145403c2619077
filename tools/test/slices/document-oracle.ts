import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '@portico/domain';

/**
 * An independent oracle: the document's schemas as JSON Schema, without inlining. References point into a copy of the
 * whole document.
 */
export class DocumentOracle {
  readonly #isVersion30: boolean;
  readonly #ajv = createAjv();

  constructor(document: Json) {
    const { openapi } = document as { openapi: string };
    this.#isVersion30 = openapi.startsWith('3.0');
    this.#ajv.addSchema({ $id: 'https://whole.example/', 'x-document': this.#translate(document) });
  }

  /** Returns a function that validates values with a schema of the document; null if the schema cannot be compiled. */
  compileValidator(schema: Json): ValidateFunction | null {
    try {
      return this.#ajv.compile(this.#translate(schema) as JsonObject);
    } catch {
      return null;
    }
  }

  #translate(value: Json): Json {
    if (Array.isArray(value)) return value.map((item: Json) => this.#translate(item));
    if (typeof value !== 'object' || value === null) return value;
    const object = value as JsonObject;
    if (typeof object['$ref'] === 'string') {
      const $ref = object['$ref'].startsWith('#/')
        ? `https://whole.example/#/x-document${object['$ref'].slice(1)}`
        : object['$ref'];
      return this.#isVersion30 ? { $ref } : { ...this.#translateMembers(object), $ref };
    }
    return this.#translateMembers(object);
  }

  #translateMembers(object: JsonObject): JsonObject {
    const copy: Record<string, Json> = Object.fromEntries(
      Object.entries(object)
        // Removes these keywords, which occur in examples of schema files.
        .filter(([name, member]) => !(['$id', '$anchor', '$schema'].includes(name) && typeof member === 'string'))
        .map(([name, member]) => [name, this.#translate(member)]),
    );
    // These names occur only in schemas, or in parts of a document that are not validated.
    if (this.#isVersion30 && object['nullable'] === true && typeof object['type'] === 'string') {
      copy['type'] = [object['type'], 'null'];
    }
    for (const [flag, bound] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof object[flag] !== 'boolean') continue;
      delete copy[flag];
      if (object[flag] && typeof object[bound] === 'number') {
        copy[flag] = object[bound];
        delete copy[bound];
      }
    }
    return copy;
  }
}

/** Creates a lenient validator: it is not strict, ignores formats, and accepts patterns without Unicode mode. */
export const createAjv = (): Ajv2020 =>
  new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, unicodeRegExp: false, logger: false });
