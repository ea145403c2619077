import type { AuthenticationScheme } from '../collections/collection.ts';
import { memberOf } from '../documents/document-value.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { shortLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, textOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Position } from './growth.ts';
import { operationCurl } from './operation-curl.ts';
import {
  contentOf,
  externalParameters,
  listOf,
  parametersOf,
  requestBodyOf,
  responsesOf,
  successOf,
  textIn,
  type Parameter,
  type Response,
} from './operation-parts.ts';
import { sourceOf, type Source } from './references.ts';
import { offerText, ranks, SchemaGrowth, topLevel } from './schema-growth.ts';
import { truncatedText } from './truncated.ts';

/** The limits of `max_bytes` (extensions, section 1). */
export const sliceBytes = { min: 1_024, default: 8_192, max: 262_144 };

/** The facts about an operation and its collection that a slice contains. */
export interface OperationFacts {
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
export function operationSlice(
  document: Json,
  operation: DocumentOperation,
  facts: OperationFacts,
  options: SliceOptions,
): string {
  const source = sourceOf(document);
  const grow = (bytes: number): { root: DraftObject; growth: Growth } => {
    const slice = new SliceGrowth(source, operation, facts, bytes);
    slice.offerAll(options.detail);
    slice.growth.run();
    return slice;
  };
  const whole = grow(options.maxBytes);
  const truncated = truncatedText(whole.growth.cuts, options.maxBytes);
  const { root, growth } = fits(whole.root, truncated, options.maxBytes)
    ? whole
    : grow(options.maxBytes - Math.min(bytesOf(truncated), Math.floor(options.maxBytes / truncatedShare)));
  const rest = options.maxBytes - bytesOf(root) + bytesOf(root.get('truncated') ?? '');
  root.set('truncated', truncatedText(growth.cuts, rest));
  return textOf(root);
}

/** If something is cut, one in this many parts of the budget is reserved for `truncated`. */
const truncatedShare = 8;

const fits = (root: DraftObject, truncated: string, maxBytes: number): boolean =>
  bytesOf(root) - bytesOf(root.get('truncated') ?? '') + bytesOf(truncated) <= maxBytes;

/** Describes the value of a credential; null if there is none. */
export function valueHint({ type }: AuthenticationScheme, collectionName: string): string | null {
  const name = shortLine(collectionName, 60);
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
export const operationUrl = (baseUrl: string, path: string): string => {
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end--;
  return `${baseUrl.slice(0, end)}/${path.replace(/^\/+/, '')}`;
};

class SliceGrowth {
  readonly growth: Growth;
  readonly root: DraftObject;
  readonly #source: Source;
  readonly #at: DocumentOperation;
  readonly #facts: OperationFacts;
  readonly #schemas: SchemaGrowth;

  constructor(source: Source, at: DocumentOperation, facts: OperationFacts, bytes: number) {
    this.#source = source;
    this.#at = at;
    this.#facts = facts;
    this.root = emptySlice(at, facts);
    this.growth = new Growth(bytes - bytesOf(this.root));
    this.#schemas = new SchemaGrowth(this.growth, source);
  }

  offerAll(detail: SliceOptions['detail']): void {
    this.#offerIdentity();
    this.#offerParameters();
    this.#offerBody();
    this.#offerResponses(detail);
  }

  #offerIdentity(): void {
    const { path, operation } = this.#at;
    const { baseUrl, authentication, collectionName } = this.#facts;
    const exact = (place: Position, text: string | null, rank: number = ranks.identity): void => {
      const draft = JSON.stringify(text);
      if (text !== null) this.growth.offer({ rank, place, make: () => ({ draft, fallback: null }) });
    };
    const scheme = this.root.get('authentication') as DraftObject;
    const parent = this.#place('authentication');
    const inScheme = (key: string): Position => ({ parent, container: scheme, key, keyword: false });
    exact(this.#place('path'), path.toWellFormed());
    exact(this.#place('url'), operationUrl(baseUrl, path).toWellFormed());
    exact(inScheme('name'), authentication.name);
    exact(inScheme('value_hint'), valueHint(authentication, collectionName));
    exact(this.#place('collection_name'), collectionName);
    exact(this.#place('operation_id'), textIn(operation, 'operationId'));
    offerText(this.growth, ranks.identity, this.#place('summary'), memberOf(operation, 'summary'));
    const tags = listOf(operation, 'tags').filter((tag) => typeof tag === 'string');
    if (tags.length > 0) {
      const draft = JSON.stringify(tags.map((tag) => tag.toWellFormed()));
      this.growth.offer({ rank: ranks.texts, place: this.#place('tags'), make: () => ({ draft, fallback: null }) });
    }
    const curl = operationCurl(this.#source, this.#at, this.#facts);
    if (curl === null) this.growth.cut(this.#place('curl'));
    exact(this.#place('curl'), curl, ranks.curl);
    offerText(this.growth, ranks.texts, this.#place('description'), memberOf(operation, 'description'));
  }

  #offerParameters(): void {
    const list: Draft[] = [];
    this.root.set('parameters', list);
    const item = (): Position => ({ parent: this.#place('parameters'), container: list, key: '-', keyword: false });
    const parameters = parametersOf(this.#source.document, this.#at);
    if (parameters.length > this.growth.partsLeft) this.growth.cut(item());
    for (const parameter of parameters.slice(0, this.growth.partsLeft)) this.#offerParameter(item(), parameter);
    for (const reference of externalParameters(this.#source.document, this.#at)) {
      this.#offerReference(ranks.identity, item(), reference);
    }
  }

  #offerParameter(place: Position, { name, in: where, required, object }: Parameter): void {
    const rank = required ? ranks.identity : ranks.optionalParameters;
    const draft: DraftObject = new Map<string, Draft | null>([
      ['name', JSON.stringify(name.toWellFormed())],
      ['in', JSON.stringify(where)],
      ...(required ? [['required', 'true'] as const] : []),
      ['description', null],
      ...(memberOf(object, 'deprecated') === true ? [['deprecated', 'true'] as const] : []),
      ...serialisation(where, object),
      ['content_type', null],
      ['schema', null],
    ]);
    const inside = (key: string): Position => ({ parent: place, container: draft, key, keyword: false });
    const then = () => {
      const content = contentOf(object);
      if (content) {
        const type = JSON.stringify(content.mediaType);
        this.growth.offer({
          rank: rank + 1,
          place: inside('content_type'),
          make: () => ({ draft: type, fallback: null }),
        });
      }
      const schema = memberOf(object, 'schema') ?? content?.schema;
      if (schema !== undefined) this.#schemas.offer(rank + 1, inside('schema'), schema, topLevel(required));
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
    };
    this.growth.offer({ rank, place, make: () => ({ draft, fallback: null, then }) });
  }

  #offerReference(rank: number, place: Position, reference: string): void {
    const draft: Draft = new Map([['$ref', JSON.stringify(reference.toWellFormed())]]);
    this.growth.offer({ rank, place, make: () => ({ draft, fallback: null }) });
  }

  #offerBody(): void {
    const body = requestBodyOf(this.#source.document, this.#at);
    if (!body) return;
    const place = this.#place('request_body');
    const reference = referenceOf(body.object);
    if (reference !== undefined) return this.#offerReference(ranks.identity, place, reference);
    const draft: DraftObject = new Map<string, Draft | null>([
      ['required', String(body.required)],
      ['content_type', body.content ? JSON.stringify(body.content.mediaType) : null],
      ['other_content_types', null],
      ['description', null],
      ['schema', null],
    ]);
    const inside = (key: string): Position => ({ parent: place, container: draft, key, keyword: false });
    const then = () => {
      const { content, object } = body;
      if (content?.schema !== undefined) {
        this.#schemas.offer(ranks.requiredSchemas, inside('schema'), content.schema, topLevel(true));
      }
      if (content && content.others.length > 0) {
        const others = JSON.stringify(content.others);
        this.growth.offer({
          rank: ranks.texts,
          place: inside('other_content_types'),
          make: () => ({ draft: others, fallback: null }),
        });
      }
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
    };
    this.growth.offer({ rank: ranks.identity, place, make: () => ({ draft, fallback: null, then }) });
  }

  #offerResponses(detail: SliceOptions['detail']): void {
    const responses = responsesOf(this.#source.document, this.#at);
    const all: DraftObject = new Map();
    this.root.set('responses', all);
    const success = detail === 'full' ? successOf(responses) : undefined;
    for (const response of responses) {
      const place: Position = {
        parent: this.#place('responses'),
        container: all,
        key: response.status,
        keyword: false,
      };
      this.#offerResponse(place, response, response === success);
    }
  }

  #offerResponse(place: Position, { object }: Response, full: boolean): void {
    const reference = referenceOf(object);
    if (reference !== undefined) return this.#offerReference(ranks.texts, place, reference);
    const draft: DraftObject = new Map<string, Draft | null>();
    for (const name of ['description', 'headers', 'content_type', 'schema']) draft.set(name, null);
    const inside = (key: string): Position => ({ parent: place, container: draft, key, keyword: false });
    const then = () => {
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
      const content = full ? contentOf(object) : undefined;
      if (!content) return;
      const type = JSON.stringify(content.mediaType);
      this.growth.offer({
        rank: ranks.texts,
        place: inside('content_type'),
        make: () => ({ draft: type, fallback: null }),
      });
      if (content.schema === undefined) return;
      this.#schemas.offer(ranks.members(1), inside('schema'), content.schema, { ...topLevel(false), depth: 1 });
    };
    this.growth.offer({ rank: ranks.optionalSchemas, place, make: () => ({ draft, fallback: null, then }) });
  }

  #place(key: string): Position {
    return { parent: null, container: this.root, key, keyword: false };
  }
}

/** Returns all members in order; members that are offered later are null. */
function emptySlice({ method, operation }: DocumentOperation, facts: OperationFacts): DraftObject {
  const { collectionId, operationKey, authentication } = facts;
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
function serialisation(where: string, object: JsonObject): [string, string][] {
  const usual = where === 'query' || where === 'cookie' ? 'form' : 'simple';
  const declared = memberOf(object, 'style');
  const style = typeof declared === 'string' ? declared : usual;
  const explode = memberOf(object, 'explode');
  const members: [string, string][] = [];
  if (style !== usual) members.push(['style', JSON.stringify(style)]);
  if (typeof explode === 'boolean' && explode !== (style === 'form')) members.push(['explode', String(explode)]);
  if (memberOf(object, 'allowReserved') === true) members.push(['allow_reserved', 'true']);
  return members;
}

/** Returns an object's unresolved reference, which points outside the document or nowhere. */
const referenceOf = (object: JsonObject): string | undefined => {
  const reference = memberOf(object, '$ref');
  return typeof reference === 'string' ? reference : undefined;
};
