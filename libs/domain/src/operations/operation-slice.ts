import type { AuthenticationScheme } from '../collections/collection.ts';
import { memberOf } from '../documents/document-value.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { shortLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, textOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Place } from './growth.ts';
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

/** Limits of `max_bytes` (extensions, section 1). */
export const sliceBytes = { min: 1_024, default: 8_192, max: 262_144 };

/** What a slice says of its collection. */
export interface OperationFacts {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly operationKey: OperationKey;
  readonly baseUrl: string;
  /** The one in force, without its value. */
  readonly authentication: AuthenticationScheme;
}

export interface SliceOptions {
  /** `request`: of responses only status and description; `full`: also the schema of the first success. */
  readonly detail: 'request' | 'full';
  /** At most this many bytes of JSON in UTF-8, between `sliceBytes.min` and `max`. */
  readonly maxBytes: number;
}

/**
 * All that is needed to call an operation, as a JSON text of bounded size (extensions, section 1). It is grown, the
 * most important part first: who and where; required parameters and members; the curl line; optional parameters;
 * optional members by their depth, each depth's short descriptions with it; long descriptions; examples. What does not
 * fit is cut and named in `truncated`, by pointers of what holds it if these are too many. A text that cannot be cut in
 * parts, such as an address, is then null; a parameter that is not there at all is named `/parameters/-`.
 */
export function operationSlice(
  document: Json,
  operation: DocumentOperation,
  facts: OperationFacts,
  options: SliceOptions,
): string {
  const source = sourceOf(document);
  const grown = (bytes: number): { root: DraftObject; growth: Growth } => {
    const slice = new SliceGrowth(source, operation, facts, bytes);
    slice.offerAll(options.detail);
    slice.growth.run();
    return slice;
  };
  const whole = grown(options.maxBytes);
  const named = truncatedText(whole.growth.cuts, options.maxBytes);
  const { root, growth } = fits(whole.root, named, options.maxBytes)
    ? whole
    : grown(options.maxBytes - Math.min(bytesOf(named), Math.floor(options.maxBytes / truncatedShare)));
  const rest = options.maxBytes - bytesOf(root) + bytesOf(root.get('truncated') ?? '');
  root.set('truncated', truncatedText(growth.cuts, rest));
  return textOf(root);
}

/** If something is cut, this part of the budget is kept for saying so. */
const truncatedShare = 8;

const fits = (root: DraftObject, truncated: string, maxBytes: number): boolean =>
  bytesOf(root) - bytesOf(root.get('truncated') ?? '') + bytesOf(truncated) <= maxBytes;

/** Says in words what a credential's value is; null if there is none. */
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

/** One slash between base address and path. */
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
    const exact = (place: Place, text: string | null, rank: number = ranks.identity): void => {
      const draft = JSON.stringify(text);
      if (text !== null) this.growth.offer({ rank, place, make: () => ({ draft, instead: null }) });
    };
    const scheme = this.root.get('authentication') as DraftObject;
    const up = this.#place('authentication');
    const inScheme = (key: string): Place => ({ up, into: scheme, key, keyword: false });
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
      this.growth.offer({ rank: ranks.texts, place: this.#place('tags'), make: () => ({ draft, instead: null }) });
    }
    const curl = operationCurl(this.#source, this.#at, this.#facts);
    if (curl === null) this.growth.cut(this.#place('curl'));
    exact(this.#place('curl'), curl, ranks.curl);
    offerText(this.growth, ranks.texts, this.#place('description'), memberOf(operation, 'description'));
  }

  #offerParameters(): void {
    const list: Draft[] = [];
    this.root.set('parameters', list);
    const item = (): Place => ({ up: this.#place('parameters'), into: list, key: '-', keyword: false });
    const parameters = parametersOf(this.#source.document, this.#at);
    if (parameters.length > this.growth.partsLeft) this.growth.cut(item());
    for (const parameter of parameters.slice(0, this.growth.partsLeft)) this.#offerParameter(item(), parameter);
    for (const reference of externalParameters(this.#source.document, this.#at)) {
      this.#offerReference(ranks.identity, item(), reference);
    }
  }

  #offerParameter(place: Place, { name, in: where, required, object }: Parameter): void {
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
    const inside = (key: string): Place => ({ up: place, into: draft, key, keyword: false });
    const then = () => {
      const content = contentOf(object);
      if (content) {
        const type = JSON.stringify(content.mediaType);
        this.growth.offer({
          rank: rank + 1,
          place: inside('content_type'),
          make: () => ({ draft: type, instead: null }),
        });
      }
      const schema = memberOf(object, 'schema') ?? content?.schema;
      if (schema !== undefined) this.#schemas.offer(rank + 1, inside('schema'), schema, topLevel(required));
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
    };
    this.growth.offer({ rank, place, make: () => ({ draft, instead: null, then }) });
  }

  #offerReference(rank: number, place: Place, reference: string): void {
    const draft: Draft = new Map([['$ref', JSON.stringify(reference.toWellFormed())]]);
    this.growth.offer({ rank, place, make: () => ({ draft, instead: null }) });
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
    const inside = (key: string): Place => ({ up: place, into: draft, key, keyword: false });
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
          make: () => ({ draft: others, instead: null }),
        });
      }
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
    };
    this.growth.offer({ rank: ranks.identity, place, make: () => ({ draft, instead: null, then }) });
  }

  #offerResponses(detail: SliceOptions['detail']): void {
    const responses = responsesOf(this.#source.document, this.#at);
    const all: DraftObject = new Map();
    this.root.set('responses', all);
    const success = detail === 'full' ? successOf(responses) : undefined;
    for (const response of responses) {
      const place: Place = { up: this.#place('responses'), into: all, key: response.status, keyword: false };
      this.#offerResponse(place, response, response === success);
    }
  }

  #offerResponse(place: Place, { object }: Response, full: boolean): void {
    const reference = referenceOf(object);
    if (reference !== undefined) return this.#offerReference(ranks.texts, place, reference);
    const draft: DraftObject = new Map<string, Draft | null>();
    for (const name of ['description', 'headers', 'content_type', 'schema']) draft.set(name, null);
    const inside = (key: string): Place => ({ up: place, into: draft, key, keyword: false });
    const then = () => {
      offerText(this.growth, ranks.texts, inside('description'), memberOf(object, 'description'));
      const content = full ? contentOf(object) : undefined;
      if (!content) return;
      const type = JSON.stringify(content.mediaType);
      this.growth.offer({
        rank: ranks.texts,
        place: inside('content_type'),
        make: () => ({ draft: type, instead: null }),
      });
      if (content.schema === undefined) return;
      this.#schemas.offer(ranks.members(1), inside('schema'), content.schema, { ...topLevel(false), depth: 1 });
    };
    this.growth.offer({ rank: ranks.optionalSchemas, place, make: () => ({ draft, instead: null, then }) });
  }

  #place(key: string): Place {
    return { up: null, into: this.root, key, keyword: false };
  }
}

/** All members in their order; those that are offered later are null. */
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

/** How a parameter is written, where it is not the way of its place (OpenAPI 3.1, section 4.8.12). */
function serialisation(where: string, object: JsonObject): [string, string][] {
  const usual = where === 'query' || where === 'cookie' ? 'form' : 'simple';
  const said = memberOf(object, 'style');
  const style = typeof said === 'string' ? said : usual;
  const explode = memberOf(object, 'explode');
  const members: [string, string][] = [];
  if (style !== usual) members.push(['style', JSON.stringify(style)]);
  if (typeof explode === 'boolean' && explode !== (style === 'form')) members.push(['explode', String(explode)]);
  if (memberOf(object, 'allowReserved') === true) members.push(['allow_reserved', 'true']);
  return members;
}

/** The reference that an object is, because it leads out of the document or nowhere. */
const referenceOf = (object: JsonObject): string | undefined => {
  const reference = memberOf(object, '$ref');
  return typeof reference === 'string' ? reference : undefined;
};
