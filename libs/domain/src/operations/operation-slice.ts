import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import type { Json, JsonObject } from '../json.ts';
import { bytesOf, textOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Position } from './growth.ts';
import { buildOperationCurl } from './operation-curl.ts';
import { contentOf, findSuccess, listOf, referenceOf, textAt, type Response } from './operation-parts.ts';
import { defaultStyleOf, type Parameter } from './parameters.ts';
import type { Source } from './references.ts';
import { describeRequest, type OperationContext, type RequestDescription } from './request-description.ts';
import type { BodyContent } from './request-body.ts';
import { createTopLevel, enqueueText, ranks, SchemaGrowth } from './schema-growth.ts';
import { createNode, type SchemaNode } from './schema-node.ts';
import { SchemaReader } from './schema-reader.ts';
import { sliceBytes } from './slice-bytes.ts';
import { buildTruncatedText } from './truncated.ts';
import { toAuthenticationView, toServersView } from './request-views.ts';

export { sliceBytes };

export interface SliceOptions {
  /** `request`: only the status and description of responses; `full`: also the schema of the first success. */
  readonly detail: 'request' | 'full';
  /** The maximum length of the JSON in UTF-8, in bytes, between `sliceBytes.min` and `max`. */
  readonly maxBytes: number;
}

/**
 * Returns everything that is needed to call an operation, as a JSON text of bounded size (extensions, section 1). The
 * text is grown, most important parts first: identity, URL and credentials; required parameters and members; the curl
 * line; optional parameters; optional members by depth, along with the short descriptions at that depth; long
 * descriptions; examples. Parts that are missing are listed in `truncated` with the reason, as pointers to their
 * containers if there are too many. A value that cannot be cut into parts, such as a URL, is then null; a parameter
 * that is missing entirely is listed as `/parameters/-`.
 */
export function buildOperationSlice(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
  options: SliceOptions,
): string {
  const description = describeRequest(source, operation, context);
  // Both attempts share the readers, which have then read most schemas.
  const parts: SliceParts = {
    description,
    responseReader: new SchemaReader(source, 'response'),
    curl: buildOperationCurl(description),
  };
  const build = (bytes: number): { root: DraftObject; growth: Growth } => {
    const slice = new SliceGrowth(parts, bytes);
    slice.enqueueAll(options.detail);
    slice.growth.run();
    return slice;
  };
  const completeSlice = build(options.maxBytes);
  const truncated = buildTruncatedText(completeSlice.growth.truncatedPlaces, options.maxBytes);
  const { root, growth } = fits(completeSlice.root, truncated, options.maxBytes)
    ? completeSlice
    : build(options.maxBytes - Math.min(bytesOf(truncated), Math.floor(options.maxBytes / truncatedShare)));
  const remainingBytes = options.maxBytes - bytesOf(root) + bytesOf(root.get('truncated') ?? '');
  root.set('truncated', buildTruncatedText(growth.truncatedPlaces, remainingBytes));
  return textOf(root);
}

/** If something is cut, one in this many parts of the budget is reserved for `truncated`. */
const truncatedShare = 8;

const fits = (root: DraftObject, truncated: string, maxBytes: number): boolean =>
  bytesOf(root) - bytesOf(root.get('truncated') ?? '') + bytesOf(truncated) <= maxBytes;

interface SliceParts {
  readonly description: RequestDescription;
  readonly responseReader: SchemaReader;
  readonly curl: string | null;
}

class SliceGrowth {
  readonly growth: Growth;
  readonly root: DraftObject;
  readonly #description: RequestDescription;
  readonly #responseReader: SchemaReader;
  readonly #curl: string | null;
  readonly #schemas: SchemaGrowth;

  constructor({ description, responseReader, curl }: SliceParts, bytes: number) {
    this.#description = description;
    this.#responseReader = responseReader;
    this.#curl = curl;
    this.root = createEmptySlice(description);
    this.growth = new Growth(bytes - bytesOf(this.root));
    this.#schemas = new SchemaGrowth(this.growth, description.reader);
  }

  enqueueAll(detail: SliceOptions['detail']): void {
    if (this.#description.externalOperation !== null) this.growth.truncate(null, 'external');
    this.#enqueueIdentity();
    this.#enqueueParameters();
    this.#enqueueBody();
    this.#enqueueResponses(detail);
  }

  #enqueueIdentity(): void {
    const { operation, context, servers, address, authentication, accept } = this.#description;
    this.#enqueueRoot('path', operation.path.toWellFormed());
    this.#enqueueRoot('url', address.url.toWellFormed());
    if (authentication !== null) this.#enqueueRoot('authentication', toAuthenticationView(authentication));
    if (address.warnings.length > 0) this.#enqueueRoot('warnings', address.warnings);
    if (accept !== null) this.#enqueueRoot('accept', accept);
    this.#enqueueRoot('collection_name', context.collectionName);
    this.#enqueueRoot('operation_id', textAt(operation.operation, 'operationId'));
    enqueueText(this.growth, ranks.identity, this.#placeOf('summary'), memberOf(operation.operation, 'summary'));
    this.#enqueueRoot('servers', toServersView(servers), ranks.curl);
    const tags = listOf(operation.operation, 'tags').filter((tag) => typeof tag === 'string');
    if (tags.length > 0)
      this.#enqueueRoot(
        'tags',
        tags.map((tag) => tag.toWellFormed()),
        ranks.texts,
      );
    if (this.#curl === null) this.growth.truncate(this.#placeOf('curl'));
    this.#enqueueRoot('curl', this.#curl, ranks.curl);
    enqueueText(this.growth, ranks.texts, this.#placeOf('description'), memberOf(operation.operation, 'description'));
  }

  #enqueueParameters(): void {
    const list: Draft[] = [];
    this.root.set('parameters', list);
    const createItemPlace = (): Position => ({
      parent: this.#placeOf('parameters'),
      container: list,
      key: '-',
      isKeyword: false,
    });
    const { parameters, externalParameters } = this.#description;
    if (parameters.length > this.growth.partsLeft) this.growth.truncate(createItemPlace());
    for (const parameter of parameters.slice(0, this.growth.partsLeft))
      this.#enqueueParameter(createItemPlace(), parameter);
    for (const reference of externalParameters) this.#enqueueReference(ranks.identity, createItemPlace(), reference);
  }

  #enqueueParameter(place: Position, parameter: Parameter): void {
    const { name, in: location, required, contentType, schema, example } = parameter;
    const rank = required ? ranks.identity : ranks.optionalParameters;
    const draft: DraftObject = new Map<string, Draft | null>([
      ['name', JSON.stringify(name.toWellFormed())],
      ['in', JSON.stringify(location)],
      ...(required ? [['required', 'true'] as const] : []),
      ['description', null],
      ...(parameter.deprecated ? [['deprecated', 'true'] as const] : []),
      ...serialisationMembersOf(parameter),
      ...(contentType === null ? [] : [['content_type', JSON.stringify(contentType.toWellFormed())] as const]),
      ['schema', null],
      ['example', null],
    ]);
    const placeOf = (key: string): Position => ({ parent: place, container: draft, key, isKeyword: false });
    const onAdded = () => {
      if (schema) this.#schemas.enqueue(rank + 1, placeOf('schema'), schema, createTopLevel(required));
      enqueueText(this.growth, ranks.texts, placeOf('description'), parameter.description ?? undefined);
      this.#enqueueExample(placeOf('example'), example, false);
    };
    this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  /** Queues an example: early if nothing else describes the value. */
  #enqueueExample(place: Position, example: Json | undefined, isOnlyDescription: boolean): void {
    if (example === undefined) return;
    const build = () => ({ draft: JSON.stringify(example), fallback: null });
    this.growth.enqueue({ rank: isOnlyDescription ? ranks.requiredSchemas : ranks.examples, place, build });
  }

  #enqueueReference(rank: number, place: Position, reference: string): void {
    const draft: Draft = new Map([['$ref', JSON.stringify(reference.toWellFormed())]]);
    const onAdded = () => this.growth.truncate(place, 'external');
    this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #enqueueBody(): void {
    const { body, reader } = this.#description;
    if (!body) return;
    const place = this.#placeOf('request_body');
    const reference = referenceOf(body.object);
    if (reference !== undefined) return this.#enqueueReference(ranks.identity, place, reference);
    const { content } = body;
    const draft: DraftObject = new Map<string, Draft | null>([
      ['required', String(body.required)],
      ['content_type', content ? JSON.stringify(content.contentType) : null],
      ['other_content_types', null],
      ['description', null],
      ['schema', null],
      ['encoding', null],
      ['example', null],
    ]);
    const placeOf = (key: string): Position => ({ parent: place, container: draft, key, isKeyword: false });
    const onAdded = () => {
      enqueueText(this.growth, ranks.texts, placeOf('description'), body.description ?? undefined);
      if (!content) return;
      const { schema, otherMediaTypes, example } = content;
      if (schema) this.#schemas.enqueue(ranks.requiredSchemas, placeOf('schema'), schema, createTopLevel(true));
      const encoding = toEncodingView(content);
      if (encoding) this.#enqueueValue(placeOf('encoding'), encoding, ranks.requiredMembers);
      if (otherMediaTypes.length > 0) this.#enqueueValue(placeOf('other_content_types'), otherMediaTypes, ranks.texts);
      this.#enqueueExample(placeOf('example'), example, !schema || reader.read(schema).maps.size === 0);
    };
    this.growth.enqueue({ rank: ranks.identity, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #enqueueResponses(detail: SliceOptions['detail']): void {
    const { responses } = this.#description;
    const responseDrafts: DraftObject = new Map();
    this.root.set('responses', responseDrafts);
    const successResponse = detail === 'full' ? findSuccess(responses) : undefined;
    for (const response of responses) {
      const place: Position = {
        parent: this.#placeOf('responses'),
        container: responseDrafts,
        key: response.status,
        isKeyword: false,
      };
      this.#enqueueResponse(place, response, response === successResponse);
    }
  }

  #enqueueResponse(place: Position, { object }: Response, isFull: boolean): void {
    const reference = referenceOf(object);
    if (reference !== undefined) return this.#enqueueReference(ranks.texts, place, reference);
    const draft: DraftObject = new Map<string, Draft | null>();
    for (const name of ['description', 'headers', 'content_type', 'schema']) draft.set(name, null);
    const placeOf = (key: string): Position => ({ parent: place, container: draft, key, isKeyword: false });
    const onAdded = () => {
      enqueueText(this.growth, ranks.texts, placeOf('description'), memberOf(object, 'description'));
      const content = isFull ? contentOf(object) : undefined;
      if (!content) return;
      this.#enqueueValue(placeOf('content_type'), content.mediaType, ranks.texts);
      const schema = memberOf(content.object, 'schema');
      if (schema !== undefined) this.#enqueueResponseSchema(placeOf('schema'), createNode(schema));
    };
    this.growth.enqueue({ rank: ranks.optionalSchemas, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #enqueueResponseSchema(place: Position, node: SchemaNode): void {
    const schemas = new SchemaGrowth(this.growth, this.#responseReader);
    schemas.enqueue(ranks.membersAt(1), place, node, { ...createTopLevel(false), depth: 1 });
  }

  #enqueueRoot(key: string, value: Json | null, rank: number = ranks.identity): void {
    if (value !== null) this.#enqueueValue(this.#placeOf(key), value, rank);
  }

  #enqueueValue(place: Position, value: Json, rank: number): void {
    const draft = JSON.stringify(value);
    this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null }) });
  }

  #placeOf(key: string): Position {
    return { parent: null, container: this.root, key, isKeyword: false };
  }
}

/** Returns all members in order; members that are queued for later are null. */
function createEmptySlice({
  operation: { method, operation },
  context,
  accept,
  address,
}: RequestDescription): DraftObject {
  return new Map<string, Draft | null>([
    ['collection_id', JSON.stringify(context.collectionId)],
    ['collection_name', 'null'],
    ['operation_key', JSON.stringify(context.operationKey)],
    ['method', JSON.stringify(method)],
    ...(context.call ? [['call', JSON.stringify(context.call)] as const] : []),
    ['url', 'null'],
    ['servers', '[]'],
    ['path', 'null'],
    ['operation_id', 'null'],
    ['summary', 'null'],
    ['description', 'null'],
    ['deprecated', String(memberOf(operation, 'deprecated') === true)],
    ['tags', '[]'],
    ['authentication', 'null'],
    ['parameters', '[]'],
    ['request_body', 'null'],
    ['responses', '{}'],
    ...(accept === null ? [] : [['accept', 'null'] as const]),
    ...(address.warnings.length === 0 ? [] : [['warnings', '[]'] as const]),
    ['truncated', '[]'],
    ['curl', 'null'],
  ]);
}

/** Returns how a parameter is serialised, if it is not the default for its location (OpenAPI 3.1, section 4.8.12). */
function serialisationMembersOf({ in: location, style, explode, allowReserved }: Parameter): [string, string][] {
  const members: [string, string][] = [];
  if (style !== defaultStyleOf(location)) members.push(['style', JSON.stringify(style)]);
  if (explode !== (style === 'form')) members.push(['explode', String(explode)]);
  if (allowReserved) members.push(['allow_reserved', 'true']);
  return members;
}

/** Returns the encoding of a form's members as the document states it; null if there is none. */
function toEncodingView({ encoding, kind }: BodyContent): JsonObject | null {
  if (encoding.size === 0 || (kind !== 'form' && kind !== 'multipart')) return null;
  const entries = [...encoding].map(([name, { contentType, style, explode, allowReserved }]): [string, Json] => [
    name,
    {
      ...(contentType === null ? {} : { content_type: contentType }),
      ...(style === null ? {} : { style, explode }),
      ...(allowReserved ? { allow_reserved: true } : {}),
    },
  ]);
  return Object.fromEntries(entries);
}
