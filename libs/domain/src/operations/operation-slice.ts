import type { AuthenticationScheme } from '../collections/collection.ts';
import { memberOf } from '../documents/document-value.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { toShortLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, textOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Position } from './growth.ts';
import { buildOperationCurl } from './operation-curl.ts';
import {
  contentOf,
  listExternalParameters,
  listOf,
  parametersOf,
  requestBodyOf,
  responsesOf,
  findSuccess,
  textAt,
  type Parameter,
  type Response,
} from './operation-parts.ts';
import { sourceOf, type Source } from './references.ts';
import { enqueueText, ranks, SchemaGrowth, createTopLevel } from './schema-growth.ts';
import { buildTruncatedText } from './truncated.ts';

/** The limits for `max_bytes` (extensions, section 1). */
export const sliceBytes = { min: 1_024, default: 8_192, max: 262_144 };

/** The data about an operation and its collection that a slice contains. */
export interface OperationContext {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly operationKey: OperationKey;
  readonly baseUrl: string;
  /** The effective scheme, without its value. */
  readonly authentication: AuthenticationScheme;
}

export interface SliceOptions {
  /** `request`: only the status and description of responses; `full`: also the schema of the first success. */
  readonly detail: 'request' | 'full';
  /** The maximum length of the JSON in UTF-8, in bytes, between `sliceBytes.min` and `max`. */
  readonly maxBytes: number;
}

/**
 * Returns everything that is needed to call an operation, as a JSON text of bounded size (extensions, section 1). The
 * text is grown, most important parts first: identity and URL; required parameters and members; the curl line; optional
 * parameters; optional members by depth, along with the short descriptions at that depth; long descriptions; examples.
 * Parts that do not fit are cut and listed in `truncated`, as pointers to their containers if there are too many. A
 * value that cannot be cut into parts, such as a URL, is then null; a parameter that is missing entirely is listed as
 * `/parameters/-`.
 */
export function buildOperationSlice(
  document: Json,
  operation: DocumentOperation,
  context: OperationContext,
  options: SliceOptions,
): string {
  const source = sourceOf(document);
  const build = (bytes: number): { root: DraftObject; growth: Growth } => {
    const slice = new SliceGrowth(source, operation, context, bytes);
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

/** Describes the value of a credential; null if there is none. */
export function valueHintOf({ type }: AuthenticationScheme, collectionName: string): string | null {
  const name = toShortLine(collectionName, 60);
  switch (type) {
    case 'basic':
      return 'base64(user:password), after "Basic "';
    case 'bearer':
      return `an access token of ${name}, after "Bearer "`;
    case 'apiKey':
      return `the key of ${name}`;
    case 'none':
      return null;
  }
}

/** Joins the base URL and the path with a single slash. */
export const buildOperationUrl = (baseUrl: string, path: string): string => {
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end--;
  return `${baseUrl.slice(0, end)}/${path.replace(/^\/+/, '')}`;
};

class SliceGrowth {
  readonly growth: Growth;
  readonly root: DraftObject;
  readonly #source: Source;
  readonly #operation: DocumentOperation;
  readonly #context: OperationContext;
  readonly #schemas: SchemaGrowth;

  constructor(source: Source, operation: DocumentOperation, context: OperationContext, bytes: number) {
    this.#source = source;
    this.#operation = operation;
    this.#context = context;
    this.root = createEmptySlice(operation, context);
    this.growth = new Growth(bytes - bytesOf(this.root));
    this.#schemas = new SchemaGrowth(this.growth, source);
  }

  enqueueAll(detail: SliceOptions['detail']): void {
    this.#enqueueIdentity();
    this.#enqueueParameters();
    this.#enqueueBody();
    this.#enqueueResponses(detail);
  }

  #enqueueIdentity(): void {
    const { path, operation } = this.#operation;
    const { baseUrl, authentication, collectionName } = this.#context;
    const enqueueExact = (place: Position, text: string | null, rank: number = ranks.identity): void => {
      const draft = JSON.stringify(text);
      if (text !== null) this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null }) });
    };
    const scheme = this.root.get('authentication') as DraftObject;
    const parent = this.#rootPlaceOf('authentication');
    const schemePlaceOf = (key: string): Position => ({ parent, container: scheme, key, isKeyword: false });
    enqueueExact(this.#rootPlaceOf('path'), path.toWellFormed());
    enqueueExact(this.#rootPlaceOf('url'), buildOperationUrl(baseUrl, path).toWellFormed());
    enqueueExact(schemePlaceOf('name'), authentication.name);
    enqueueExact(schemePlaceOf('value_hint'), valueHintOf(authentication, collectionName));
    enqueueExact(this.#rootPlaceOf('collection_name'), collectionName);
    enqueueExact(this.#rootPlaceOf('operation_id'), textAt(operation, 'operationId'));
    enqueueText(this.growth, ranks.identity, this.#rootPlaceOf('summary'), memberOf(operation, 'summary'));
    const tags = listOf(operation, 'tags').filter((tag) => typeof tag === 'string');
    if (tags.length > 0) {
      const draft = JSON.stringify(tags.map((tag) => tag.toWellFormed()));
      this.growth.enqueue({
        rank: ranks.texts,
        place: this.#rootPlaceOf('tags'),
        build: () => ({ draft, fallback: null }),
      });
    }
    const curl = buildOperationCurl(this.#source, this.#operation, this.#context);
    if (curl === null) this.growth.truncate(this.#rootPlaceOf('curl'));
    enqueueExact(this.#rootPlaceOf('curl'), curl, ranks.curl);
    enqueueText(this.growth, ranks.texts, this.#rootPlaceOf('description'), memberOf(operation, 'description'));
  }

  #enqueueParameters(): void {
    const list: Draft[] = [];
    this.root.set('parameters', list);
    const createItemPlace = (): Position => ({
      parent: this.#rootPlaceOf('parameters'),
      container: list,
      key: '-',
      isKeyword: false,
    });
    const parameters = parametersOf(this.#source.document, this.#operation);
    if (parameters.length > this.growth.partsLeft) this.growth.truncate(createItemPlace());
    for (const parameter of parameters.slice(0, this.growth.partsLeft))
      this.#enqueueParameter(createItemPlace(), parameter);
    for (const reference of listExternalParameters(this.#source.document, this.#operation)) {
      this.#enqueueReference(ranks.identity, createItemPlace(), reference);
    }
  }

  #enqueueParameter(place: Position, { name, in: location, required, object }: Parameter): void {
    const rank = required ? ranks.identity : ranks.optionalParameters;
    const draft: DraftObject = new Map<string, Draft | null>([
      ['name', JSON.stringify(name.toWellFormed())],
      ['in', JSON.stringify(location)],
      ...(required ? [['required', 'true'] as const] : []),
      ['description', null],
      ...(memberOf(object, 'deprecated') === true ? [['deprecated', 'true'] as const] : []),
      ...serialisationMembersOf(location, object),
      ['content_type', null],
      ['schema', null],
    ]);
    const placeOf = (key: string): Position => ({ parent: place, container: draft, key, isKeyword: false });
    const onAdded = () => {
      const content = contentOf(object);
      if (content) {
        const type = JSON.stringify(content.mediaType);
        this.growth.enqueue({
          rank: rank + 1,
          place: placeOf('content_type'),
          build: () => ({ draft: type, fallback: null }),
        });
      }
      const schema = memberOf(object, 'schema') ?? content?.schema;
      if (schema !== undefined) this.#schemas.enqueue(rank + 1, placeOf('schema'), schema, createTopLevel(required));
      enqueueText(this.growth, ranks.texts, placeOf('description'), memberOf(object, 'description'));
    };
    this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #enqueueReference(rank: number, place: Position, reference: string): void {
    const draft: Draft = new Map([['$ref', JSON.stringify(reference.toWellFormed())]]);
    this.growth.enqueue({ rank, place, build: () => ({ draft, fallback: null }) });
  }

  #enqueueBody(): void {
    const body = requestBodyOf(this.#source.document, this.#operation);
    if (!body) return;
    const place = this.#rootPlaceOf('request_body');
    const reference = referenceOf(body.object);
    if (reference !== undefined) return this.#enqueueReference(ranks.identity, place, reference);
    const draft: DraftObject = new Map<string, Draft | null>([
      ['required', String(body.required)],
      ['content_type', body.content ? JSON.stringify(body.content.mediaType) : null],
      ['other_content_types', null],
      ['description', null],
      ['schema', null],
    ]);
    const placeOf = (key: string): Position => ({ parent: place, container: draft, key, isKeyword: false });
    const onAdded = () => {
      const { content, object } = body;
      if (content?.schema !== undefined) {
        this.#schemas.enqueue(ranks.requiredSchemas, placeOf('schema'), content.schema, createTopLevel(true));
      }
      if (content && content.otherMediaTypes.length > 0) {
        const otherTypes = JSON.stringify(content.otherMediaTypes);
        this.growth.enqueue({
          rank: ranks.texts,
          place: placeOf('other_content_types'),
          build: () => ({ draft: otherTypes, fallback: null }),
        });
      }
      enqueueText(this.growth, ranks.texts, placeOf('description'), memberOf(object, 'description'));
    };
    this.growth.enqueue({ rank: ranks.identity, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #enqueueResponses(detail: SliceOptions['detail']): void {
    const responses = responsesOf(this.#source.document, this.#operation);
    const responseDrafts: DraftObject = new Map();
    this.root.set('responses', responseDrafts);
    const successResponse = detail === 'full' ? findSuccess(responses) : undefined;
    for (const response of responses) {
      const place: Position = {
        parent: this.#rootPlaceOf('responses'),
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
      const type = JSON.stringify(content.mediaType);
      this.growth.enqueue({
        rank: ranks.texts,
        place: placeOf('content_type'),
        build: () => ({ draft: type, fallback: null }),
      });
      if (content.schema === undefined) return;
      this.#schemas.enqueue(ranks.membersAt(1), placeOf('schema'), content.schema, {
        ...createTopLevel(false),
        depth: 1,
      });
    };
    this.growth.enqueue({ rank: ranks.optionalSchemas, place, build: () => ({ draft, fallback: null, onAdded }) });
  }

  #rootPlaceOf(key: string): Position {
    return { parent: null, container: this.root, key, isKeyword: false };
  }
}

/** Returns all members in order; members that are queued for later are null. */
function createEmptySlice({ method, operation }: DocumentOperation, context: OperationContext): DraftObject {
  const { collectionId, operationKey, authentication } = context;
  return new Map<string, Draft>([
    ['collection_id', JSON.stringify(collectionId)],
    ['collection_name', 'null'],
    ['operation_key', JSON.stringify(operationKey)],
    ['method', JSON.stringify(method)],
    ['url', 'null'],
    ['path', 'null'],
    ['operation_id', 'null'],
    ['summary', 'null'],
    ['description', 'null'],
    ['deprecated', String(memberOf(operation, 'deprecated') === true)],
    ['tags', '[]'],
    [
      'authentication',
      new Map([
        ['type', JSON.stringify(authentication.type)],
        ['name', 'null'],
        ['in', JSON.stringify(authentication.in)],
        ['value', 'null'],
        ['value_hint', 'null'],
      ]),
    ],
    ['parameters', '[]'],
    ['request_body', 'null'],
    ['responses', '{}'],
    ['truncated', '[]'],
    ['curl', 'null'],
  ]);
}

/** Returns how a parameter is serialised, if it is not the default for its location (OpenAPI 3.1, section 4.8.12). */
function serialisationMembersOf(location: string, object: JsonObject): [string, string][] {
  const defaultStyle = location === 'query' || location === 'cookie' ? 'form' : 'simple';
  const declaredStyle = memberOf(object, 'style');
  const style = typeof declaredStyle === 'string' ? declaredStyle : defaultStyle;
  const explode = memberOf(object, 'explode');
  const members: [string, string][] = [];
  if (style !== defaultStyle) members.push(['style', JSON.stringify(style)]);
  if (typeof explode === 'boolean' && explode !== (style === 'form')) members.push(['explode', String(explode)]);
  if (memberOf(object, 'allowReserved') === true) members.push(['allow_reserved', 'true']);
  return members;
}

/** Returns an object's unresolved reference, which points outside the document or has no target. */
const referenceOf = (object: JsonObject): string | undefined => {
  const reference = memberOf(object, '$ref');
  return typeof reference === 'string' ? reference : undefined;
};
