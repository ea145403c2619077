import { valueAt, type DocumentPath, type Json } from '@portico/domain';
import { Violations } from './violations.ts';

/** The member names that OpenAPI 3.2 adds to 3.1. */
const additions: readonly string[] = [
  ...['$self', 'query', 'additionalOperations', 'mediaTypes', 'deviceAuthorization', 'oauth2MetadataUrl'],
  ...['itemSchema', 'itemEncoding', 'prefixEncoding', 'dataValue', 'serializedValue', 'defaultMapping', 'nodeType'],
  ...['name', 'summary', 'parent', 'kind', 'deprecated'],
];

/**
 * Collects the violations of the schema of OpenAPI 3.1 in a document of 3.2. Those that 3.2 allows are notices instead:
 * they name the parts that are stored and returned, but not understood.
 */
export class ViolationsOf32 extends Violations {
  readonly #document: Json;
  readonly #notices: Violations;

  constructor(document: Json, version: string, notices: Violations) {
    super();
    this.#document = document;
    this.#notices = notices;
    notices.add(['openapi'], `is ${version}, which is read as 3.1: its additions are stored, but not understood`);
  }

  override add(path: DocumentPath, message: string): void {
    const name = path.at(-1);
    if (isAddition(this.#document, path, message))
      this.#notices.add(path, `'${name}' is new in OpenAPI 3.2: it is stored, but not understood`);
    else if (!isOptionalDescription(path, message)) super.add(path, message);
  }
}

const isAddition = (document: Json, path: DocumentPath, message: string): boolean => {
  const name = path.at(-1);
  return name === 'in'
    ? valueAt(document, path) === 'querystring'
    : typeof name === 'string' && additions.includes(name) && message === 'is not a known property here';
};

/** In OpenAPI 3.2, a response needs no description. */
const isOptionalDescription = (path: DocumentPath, message: string): boolean =>
  message === "must have property 'description'" && path.includes('responses');
