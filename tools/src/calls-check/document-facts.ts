import type { DocumentSchemas } from './document-schemas.ts';
import { isObject, listAt, memberAt, NumberText, objectAt, stringAt, textsAt, type Value } from './json-text.ts';

export interface Credential {
  readonly scheme: string;
  /** Null if the document does not declare the scheme, or not its type. */
  readonly type: string | null;
  /** Null if the document does not say where the credential goes. */
  readonly in: string | null;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly tokenUrls: readonly string[];
}

export interface ParameterFact {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly exploded: boolean; // The names of an object's members take the place of the name.
}

/** The facts about one operation that every view of it must agree with. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  /** The alternatives of credentials; null if the document does not mention security. */
  readonly security: readonly (readonly Credential[])[] | null;
  readonly parameters: readonly ParameterFact[];
  readonly body: BodyFacts | null;
  /** The media types of the first success if it has no JSON; null otherwise. */
  readonly accept: readonly string[] | null;
  /** The members of the slice of which a part is in another file; an empty text for the operation itself. */
  readonly externalPlaces: readonly string[];
}

export interface BodyFacts {
  readonly required: boolean;
  /** Null if there are only ranges, such as `image/*`. */
  readonly mediaType: string | null;
  readonly schema: Value | undefined;
  readonly requiredPaths: readonly (readonly string[])[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Yields the facts of each operation of a document, in its order. */
export function* readFacts(schemas: DocumentSchemas): Generator<OperationFacts> {
  for (const [path, value] of Object.entries(objectAt(schemas.root, 'paths') ?? {})) {
    const pathItem = schemas.resolve(value).value;
    if (path.startsWith('x-') || !isObject(pathItem)) continue;
    for (const [name, member] of Object.entries(pathItem)) {
      const { value: operation, external } = schemas.resolve(member);
      if (!methods.includes(name) || (!isObject(operation) && external === null)) continue;
      yield readOperation(schemas, { method: name.toUpperCase(), path, pathItem, operation });
    }
  }
}

/** The operation is undefined if it is in another file. */
function readOperation(
  schemas: DocumentSchemas,
  {
    method,
    path,
    pathItem,
    operation,
  }: Pick<OperationFacts, 'method' | 'path'> & Record<'pathItem' | 'operation', Value | undefined>,
): OperationFacts {
  const { root } = schemas;
  const servers = [operation, pathItem, root].map((level) => listAt(level, 'servers')).find((list) => list.length > 0);
  const security = memberAt(operation, 'security') ?? memberAt(root, 'security');
  const parameters = [...listAt(pathItem, 'parameters'), ...listAt(operation, 'parameters')].map((parameter) =>
    schemas.resolve(parameter),
  );
  const bodyTarget = schemas.resolve(memberAt(operation, 'requestBody'));
  const body = readBody(schemas, bodyTarget.value);
  const responses = Object.entries(objectAt(operation, 'responses') ?? {}).filter(([name]) => !name.startsWith('x-'));
  const targets = responses.map(([status, response]) => ({ status, ...schemas.resolve(response) }));
  const isExternal = (place: readonly { readonly external: string | null }[]): boolean =>
    place.some(({ external }) => external !== null);
  return {
    method,
    path,
    url: joinUrl(servers?.[0], path),
    security: Array.isArray(security)
      ? (security as readonly Value[]).map((item) => readCredentials(schemas, item))
      : null,
    parameters: readParameters(
      schemas,
      parameters.map(({ value }) => value),
      path,
    ),
    body,
    accept: readAccept(targets.find(({ status }) => status.startsWith('2'))?.value),
    externalPlaces: [
      ...(operation === undefined ? [''] : []),
      ...(isExternal(parameters) || parameters.some(({ value }) => schemas.leadsOutside(memberAt(value, 'schema')))
        ? ['/parameters']
        : []),
      ...(bodyTarget.external !== null || (body && schemas.leadsOutside(body.schema)) ? ['/request_body'] : []),
      ...(isExternal(targets) ? ['/responses'] : []),
    ],
  };
}

/** Joins the first server's URL and the path (OpenAPI 3.1, section 4.8.5). */
export function joinUrl(server: Value | undefined, path: string): string {
  const template = stringAt(server, 'url')?.trim() ?? '';
  const replacedTemplate = template.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const value = memberAt(memberAt(memberAt(server, 'variables'), name), 'default');
    return typeof value === 'string' ? value : value instanceof NumberText ? value.text : placeholder;
  });
  const address = replacedTemplate.replace(/^\/\//, 'https://').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
  const [start, startQuery] = splitQuery(address);
  const [end, endQuery] = splitQuery(path);
  const query = [startQuery, endQuery].filter(Boolean).join('&');
  return `${start.replace(/\/+$/, '')}/${end.replace(/^\//, '')}${query ? `?${query}` : ''}`;
}

const splitQuery = (url: string): [address: string, query: string] => {
  const [text = ''] = url.split('#');
  const position = text.indexOf('?');
  return position < 0 ? [text, ''] : [text.slice(0, position), text.slice(position + 1)];
};

function readCredentials(schemas: DocumentSchemas, requirement: Value): Credential[] {
  const declarations = objectAt(objectAt(schemas.root, 'components'), 'securitySchemes');
  return Object.keys(isObject(requirement) ? requirement : {}).map((scheme): Credential => {
    const declaration = schemas.resolve(memberAt(declarations, scheme)).value;
    const type = stringAt(declaration, 'type');
    const flows = Object.values(objectAt(declaration, 'flows') ?? {});
    const credential = {
      scheme,
      scopes: textsAt(requirement, scheme),
      tokenUrls: flows.flatMap((flow) => stringAt(flow, 'tokenUrl') ?? []),
    };
    const header = { in: 'header', name: 'Authorization' };
    if (type === 'apiKey')
      return { ...credential, type, in: stringAt(declaration, 'in'), name: stringAt(declaration, 'name') };
    if (type === 'oauth2' || type === 'openIdConnect') return { ...credential, type, ...header };
    const httpScheme = type === 'http' ? (stringAt(declaration, 'scheme')?.toLowerCase() ?? '') : '';
    if (/^(basic|bearer)$/.test(httpScheme)) return { ...credential, type: httpScheme, ...header };
    return { ...credential, type, in: null, name: null };
  });
}

/** The parameters of the operation override those of the path; placeholders without a parameter are required too. */
function readParameters(
  schemas: DocumentSchemas,
  values: readonly (Value | undefined)[],
  path: string,
): ParameterFact[] {
  const parameters = new Map<string, ParameterFact>();
  for (const value of values) {
    const [name, location] = [stringAt(value, 'name'), stringAt(value, 'in') ?? ''];
    if (name === null || !['path', 'query', 'header', 'cookie'].includes(location)) continue;
    const required = location === 'path' || memberAt(value, 'required') === true;
    const parts = schemas.conjunctsOf(memberAt(value, 'schema'), ['allOf', 'anyOf', 'oneOf']);
    const exploded = parts.some(({ properties }) => isObject(properties)) && stringAt(value, 'style') !== 'deepObject';
    parameters.set(`${location} ${name}`, { in: location, name, required, exploded });
  }
  for (const [, name = ''] of (path.split('#')[0] ?? '').matchAll(/\{([^{}]+)\}/g)) {
    if (!parameters.has(`path ${name}`))
      parameters.set(`path ${name}`, { in: 'path', name, required: true, exploded: false });
  }
  return [...parameters.values()];
}

function readBody(schemas: DocumentSchemas, value: Value | undefined): BodyFacts | null {
  const content = Object.entries(objectAt(value, 'content') ?? {});
  if (!isObject(value)) return null;
  const entry = preferences.map((prefers) => content.find(([type]) => prefers(type))).find(Boolean);
  const schema = entry && memberAt(schemas.resolve(entry[1]).value, 'schema');
  return {
    required: memberAt(value, 'required') === true,
    mediaType: entry && !isRange(entry[0]) ? entry[0] : null,
    schema,
    requiredPaths: schemas.requiredPathsOf(schema),
  };
}

const isRange = (type: string): boolean => type.includes('*');
export const isJsonType = (type: string): boolean => /^[^/;]+\/([^;\s]*[^a-z;\s])?json\b/i.test(type);
const preferences: readonly ((type: string) => boolean)[] = [
  (type) => /^application\/json$/i.test(type.trim()),
  (type) => isJsonType(type) && !isRange(type),
  (type) => /^application\/x-www-form-urlencoded/i.test(type),
  (type) => /^multipart\//i.test(type) && !isRange(type),
  (type) => !isRange(type),
  () => true,
];

function readAccept(success: Value | undefined): readonly string[] | null {
  const types = Object.keys(objectAt(success, 'content') ?? {});
  return types.length === 0 || types.some((type) => isJsonType(type) || /^\*|^application\/\*/.test(type))
    ? null
    : types;
}
