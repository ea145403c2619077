import { extractDocumentMetadata, isJsonArray, isJsonObject, type Json } from '@portico/domain';

export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly deprecated: boolean;
}

export interface ApiDocument {
  readonly file: string;
  readonly title: string;
  readonly description: string;
  /** The collection that an import creates from the document. */
  readonly collection: { readonly name: string; readonly description: string; readonly baseUrl: string };
  readonly operations: readonly ApiOperation[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Returns the operations of an OpenAPI document, following local references to path items and operations. Keys of
 * `paths` that start with `x-` are not paths; webhooks and callbacks are omitted.
 */
export const apiDocumentOf = (file: string, document: Json): ApiDocument => {
  const info = memberOf(document, 'info');
  const operations = membersOf(memberOf(document, 'paths')).flatMap(([path, item]) =>
    path.startsWith('x-')
      ? []
      : membersOf(followReferences(document, item)).flatMap(([method, operation]) => {
          const resolvedOperation = followReferences(document, operation);
          return methods.includes(method) && isJsonObject(resolvedOperation)
            ? [operationOf(method, path, resolvedOperation)]
            : [];
        }),
  );
  const metadata = extractDocumentMetadata(document, () => undefined);
  return {
    file,
    title: textIn(info, 'title'),
    description: textIn(info, 'description'),
    collection: {
      name: metadata.title ?? file,
      description: metadata.description ?? metadata.derivedDescription,
      baseUrl: metadata.baseUrl,
    },
    operations,
  };
};

const operationOf = (method: string, path: string, operation: Json): ApiOperation => {
  const tags = memberOf(operation, 'tags');
  return {
    method: method.toUpperCase(),
    path,
    summary: textIn(operation, 'summary'),
    operationId: textIn(operation, 'operationId'),
    tags: isJsonArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    description: textIn(operation, 'description'),
    deprecated: memberOf(operation, 'deprecated') === true,
  };
};

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const membersOf = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  isJsonObject(value) ? Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined) : [];

const textIn = (value: Json | undefined, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};

const referencesMax = 10;

/** Resolves a chain of local references. */
const followReferences = (document: Json, value: Json | undefined): Json | undefined => {
  for (let count = 0; count < referencesMax; count++) {
    const reference = textIn(value, '$ref');
    if (!reference.startsWith('#/')) return value;
    value = reference
      .slice(2)
      .split('/')
      .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<Json | undefined>(
        (node, token) => (isJsonArray(node) ? node[Number(token)] : memberOf(node, token)),
        document,
      );
  }
  return value;
};
