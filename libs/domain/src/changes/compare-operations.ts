import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import type { Json, JsonObject } from '../json.ts';
import { parametersOf, placeholdersOf, type Parameter } from '../operations/parameters.ts';
import { resolveObject } from '../operations/references.ts';
import type { ChangedOperation } from './change.ts';
import type { ChangeList, NewChange } from './change-list.ts';
import { headersOf, mediaTypesOf, plainTypeOf, responseOf, responsesOf, schemaOfHeader } from './contents.ts';
import { compareCallbacks } from './compare-callbacks.ts';
import { ContentComparison, type ComparedDocuments } from './compare-contents.ts';

/** One operation in both documents. */
export interface OperationPair {
  readonly before: DocumentOperation;
  readonly after: DocumentOperation;
}

/** Compares the requests and responses of one operation. */
export class OperationComparison {
  readonly #documents: ComparedDocuments;
  readonly #pair: OperationPair;
  readonly #operation: ChangedOperation;
  readonly #list: ChangeList;
  readonly #contents: ContentComparison;

  constructor(documents: ComparedDocuments, pair: OperationPair, operation: ChangedOperation, list: ChangeList) {
    this.#documents = documents;
    this.#pair = pair;
    this.#operation = operation;
    this.#list = list;
    this.#contents = new ContentComparison(documents, operation, list);
  }

  compare(): void {
    this.#compareDescription();
    this.#compareParameters();
    this.#compareBodies();
    this.#compareResponses();
    compareCallbacks(this.#documents, this.#pair, this.#operation, this.#list);
  }

  #add(change: NewChange): void {
    this.#list.add(this.#operation, change);
  }

  #compareDescription(): void {
    const [before, after] = [this.#pair.before.operation, this.#pair.after.operation];
    this.#addFlag(before, after, ['endpoint-deprecated', 'endpoint-reactivated'], '');
    const [id, newId] = [memberOf(before, 'operationId'), memberOf(after, 'operationId')];
    if (typeof id === 'string' && id !== newId)
      this.#add({ rule: 'api-operation-id-removed', level: 'info', text: `the operation id ${id} was removed` });
    if (typeof newId === 'string' && id !== newId)
      this.#add({ rule: 'api-operation-id-added', level: 'info', text: `the operation id ${newId} was added` });
  }

  #addFlag(
    before: JsonObject | Parameter,
    after: JsonObject | Parameter,
    [set, unset]: readonly [string, string],
    place: string,
  ): void {
    const [was, is] = [before, after].map(({ deprecated }) => deprecated === true);
    if (was === is) return;
    this.#add({ rule: is ? set : unset, level: 'info', place, text: `it is ${is ? 'now' : 'no longer'} deprecated` });
  }

  #compareParameters(): void {
    const before = this.#listParameters(this.#documents.before, this.#pair.before);
    const after = this.#listParameters(this.#documents.after, this.#pair.after);
    for (const [key, parameter] of before) {
      const newParameter = after.get(key);
      if (newParameter) this.#compareParameter(parameter, newParameter);
      else if (!isDefinedElsewhere(parameter)) this.#addRemovedParameter(parameter);
    }
    for (const [key, parameter] of after) {
      if (before.has(key) || isDefinedElsewhere(parameter)) continue;
      const place = placeOf(parameter);
      if (parameter.in === 'path')
        this.#add({ rule: 'new-request-path-parameter', level: 'breaking', place, text: 'the parameter was added' });
      else if (parameter.required)
        this.#add({
          rule: 'new-required-request-parameter',
          level: 'breaking',
          place,
          text: 'the parameter was added, and is required',
        });
      else this.#add({ rule: 'new-optional-request-parameter', level: 'info', place, text: 'the parameter was added' });
    }
  }

  /** Returns parameters by location and name; those in the path by position, because their names are not sent. */
  #listParameters(document: Json, operation: DocumentOperation): ReadonlyMap<string, Parameter> {
    const positions = placeholdersOf(operation.path);
    const keyOf = (parameter: Parameter): string => {
      const position = parameter.in === 'path' ? positions.indexOf(parameter.name) : -1;
      if (position >= 0) return `path ${position}`;
      return `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`;
    };
    return new Map(parametersOf(document, operation).map((parameter) => [keyOf(parameter), parameter]));
  }

  #addRemovedParameter(parameter: Parameter): void {
    const place = placeOf(parameter);
    if (parameter.deprecated)
      this.#add({
        rule: 'request-parameter-removed-with-deprecation',
        level: 'warning',
        place,
        text: 'the parameter was removed after it was deprecated',
      });
    else this.#add({ rule: 'request-parameter-removed', level: 'breaking', place, text: 'the parameter was removed' });
  }

  #compareParameter(before: Parameter, after: Parameter): void {
    const place = placeOf(before);
    if (before.required !== after.required)
      this.#add(
        after.required
          ? {
              rule: 'request-parameter-became-required',
              level: 'breaking',
              place,
              text: 'the parameter is now required',
            }
          : {
              rule: 'request-parameter-became-optional',
              level: 'info',
              place,
              text: 'the parameter is no longer required',
            },
      );
    this.#addFlag(before, after, ['request-parameter-deprecated', 'request-parameter-reactivated'], place);
    if (isDefinedElsewhere(before)) return;
    this.#compareSerialization(before, after, place);
    const [schema, newSchema] = [schemaOf(before), schemaOf(after)];
    this.#compareDefaults(schema, newSchema, place);
    const isText = before.contentType === null && after.contentType === null;
    this.#contents.compareSchemas('request-parameter', place, schema, newSchema, isText);
  }

  #compareSerialization(before: Parameter, after: Parameter, place: string): void {
    if (before.style !== after.style)
      this.#add({
        rule: 'request-parameter-style-changed',
        level: 'breaking',
        place,
        text: `the style changed from ${before.style} to ${after.style}`,
      });
    const types = this.#documents.requests.typesBefore(schemaOf(before));
    const isStructured = types.has('array') || types.has('object');
    if (before.explode !== after.explode && isStructured)
      this.#add({
        rule: 'request-parameter-explode-changed',
        level: 'breaking',
        place,
        text: `explode changed from ${before.explode} to ${after.explode}`,
      });
    if (before.allowReserved && !after.allowReserved && before.in === 'query')
      this.#add({
        rule: 'request-parameter-allow-reserved-removed',
        level: 'warning',
        place,
        text: 'reserved characters are now escaped',
      });
    if (
      before.contentType === null || after.contentType === null
        ? before.contentType !== after.contentType
        : plainTypeOf(before.contentType) !== plainTypeOf(after.contentType)
    )
      this.#add({
        rule: 'request-parameter-content-type-changed',
        level: 'breaking',
        place,
        text: `the media type changed from ${before.contentType ?? 'none'} to ${after.contentType ?? 'none'}`,
      });
  }

  #compareDefaults(before: Json | undefined, after: Json | undefined, place: string): void {
    const [old, current] = [
      this.#documents.requests.defaultBefore(before),
      this.#documents.requests.defaultAfter(after),
    ].map((value) => (value === undefined ? null : JSON.stringify(value)));
    if (old === current) return;
    const action = old === null ? 'added' : current === null ? 'removed' : 'changed';
    const text = {
      added: `the default ${current} was added`,
      removed: `the default ${old} was removed`,
      changed: `the default changed from ${old} to ${current}`,
    }[action];
    this.#add({ rule: `request-parameter-default-value-${action}`, level: 'info', place, text });
  }

  #compareBodies(): void {
    const [before, after] = [
      resolveObject(this.#documents.before, memberOf(this.#pair.before.operation, 'requestBody')),
      resolveObject(this.#documents.after, memberOf(this.#pair.after.operation, 'requestBody')),
    ];
    const place = 'request body';
    const isRequired = memberOf(after, 'required') === true;
    if (!before) {
      if (!after) return;
      this.#add(
        isRequired
          ? { rule: 'request-body-added-required', level: 'breaking', place, text: 'a required body was added' }
          : { rule: 'request-body-added-optional', level: 'info', place, text: 'an optional body was added' },
      );
      return;
    }
    if (!after)
      return this.#add({ rule: 'request-body-removed', level: 'breaking', place, text: 'the body was removed' });
    if ((memberOf(before, 'required') === true) !== isRequired)
      this.#add(
        isRequired
          ? { rule: 'request-body-became-required', level: 'breaking', place, text: 'the body is now required' }
          : { rule: 'request-body-became-optional', level: 'info', place, text: 'the body is no longer required' },
      );
    this.#contents.compare('request-body', place, before, after);
  }

  #compareResponses(): void {
    const [before, after] = [
      responsesOf(this.#documents.before, this.#pair.before),
      responsesOf(this.#documents.after, this.#pair.after),
    ];
    for (const [status, response] of before) {
      const newResponse = after.get(status) ?? after.get(`${status.charAt(0)}XX`);
      const place = `response ${status}`;
      if (newResponse) {
        this.#compareHeaders(place, response, newResponse);
        this.#contents.compare('response-body', place, response, newResponse);
        continue;
      }
      const isSuccess = /^[23]/.test(status);
      const isNarrowed = status.endsWith('XX') && [...after.keys()].some((name) => name.charAt(0) === status.charAt(0));
      if (isNarrowed) continue;
      this.#add({
        rule: `response-${isSuccess ? '' : 'non-'}success-status-removed`,
        level: isSuccess ? 'breaking' : 'info',
        place,
        text: 'the response was removed',
      });
    }
    for (const [status, newResponse] of after) {
      if (before.has(status)) continue;
      const rule = `response-${/^[23]/.test(status) ? '' : 'non-'}success-status-added`;
      this.#add({ rule, level: 'info', place: `response ${status}`, text: 'the response was added' });
      const response = responseOf(before, status);
      if (response && mediaTypesOf(newResponse).size > 0)
        this.#contents.compare('response-body', `response ${status}`, response, newResponse);
    }
  }

  #compareHeaders(place: string, before: JsonObject, after: JsonObject): void {
    const [headers, newHeaders] = [headersOf(this.#documents.before, before), headersOf(this.#documents.after, after)];
    for (const [name, header] of headers) {
      const headerPlace = `${place} header ${name}`;
      const newHeader = newHeaders.get(name);
      const isRequired = memberOf(header, 'required') === true;
      if (!newHeader) {
        this.#add({
          rule: `${isRequired ? 'required' : 'optional'}-response-header-removed`,
          level: 'breaking',
          place: headerPlace,
          text: 'the header was removed',
        });
        continue;
      }
      if (isRequired && memberOf(newHeader, 'required') !== true)
        this.#add({
          rule: 'response-header-became-optional',
          level: 'breaking',
          place: headerPlace,
          text: 'the header may be absent now',
        });
      this.#contents.compareSchemas('response-header', headerPlace, schemaOfHeader(header), schemaOfHeader(newHeader));
    }
    for (const name of newHeaders.keys())
      if (!headers.has(name))
        this.#add({
          rule: 'response-header-added',
          level: 'info',
          place: `${place} header ${name}`,
          text: 'the header was added',
        });
  }
}

const placeOf = (parameter: Parameter): string => `${parameter.in} parameter ${parameter.name}`;

const schemaOf = ({ schema }: Parameter): Json | undefined => schema?.parts[0]?.value;

/** Whether OpenAPI ignores a parameter, because other parts of the document describe it (3.1, section 4.8.12.2). */
const isDefinedElsewhere = (parameter: Parameter): boolean =>
  parameter.in === 'header' && ['accept', 'content-type', 'authorization'].includes(parameter.name.toLowerCase());
