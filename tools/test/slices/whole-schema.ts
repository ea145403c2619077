import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '@portico/domain';

/**
 * An oracle of its own: a document's schemas in JSON Schema, with nothing put in place. All components become `$defs`,
 * and references lead there.
 */
export class WholeDocument {
  readonly #legacy: boolean;
  readonly #ajv = newAjv();

  constructor(document: Json) {
    const { openapi } = document as { openapi: string };
    this.#legacy = openapi.startsWith('3.0');
    this.#ajv.addSchema({ $id: 'https://whole.example/', 'x-document': this.#translated(document) });
  }

  /** Checks values by a schema of the document; null if the document's schemas cannot be compiled. */
  validator(schema: Json): ValidateFunction | null {
    try {
      return this.#ajv.compile(this.#translated(schema) as JsonObject);
    } catch {
      return null;
    }
  }

  #translated(value: Json): Json {
    if (Array.isArray(value)) return value.map((one: Json) => this.#translated(one));
    if (typeof value !== 'object' || value === null) return value;
    const object = value as JsonObject;
    if (typeof object['$ref'] === 'string') {
      const $ref = object['$ref'].startsWith('#/')
        ? `https://whole.example/#/x-document${object['$ref'].slice(1)}`
        : object['$ref'];
      return this.#legacy ? { $ref } : { ...this.#members(object), $ref };
    }
    return this.#members(object);
  }

  #members(object: JsonObject): JsonObject {
    const copy: Record<string, Json> = Object.fromEntries(
      Object.entries(object)
        // Examples of schemas as files.
        .filter(([name, one]) => !(['$id', '$anchor', '$schema'].includes(name) && typeof one === 'string'))
        .map(([name, one]) => [name, this.#translated(one)]),
    );
    // What follows concerns schemas; elsewhere in a document these names do not occur, or nothing reads them here.
    if (this.#legacy && object['nullable'] === true && typeof object['type'] === 'string') {
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

/** Reads schemas as they are found: no strictness, formats only noted, patterns by either grammar. */
export const newAjv = (): Ajv2020 =>
  new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, unicodeRegExp: false, logger: false });
