import { DocumentSchemas } from '../calls-check/document-schemas.ts';
import {
  isObject,
  listAt,
  memberAt,
  objectAt,
  stringAt,
  type ObjectValue,
  type Value,
} from '../calls-check/json-text.ts';

/** An OpenAPI document with one operation at a plain path, and how its requests are translated. */
export interface OperationDocument {
  readonly document: ObjectValue;
  readonly schemas: DocumentSchemas;
  /** Returns the schema of the body in a media type. */
  readonly contentOf: (contentType: string) => Value | undefined;
  /** Returns the target at the plain path; null if the path of a request does not match that of the operation. */
  readonly translateTarget: (target: string) => string | null;
}

/**
 * Extracts an operation for a validator. The path becomes `/call/{name}/…`, because validators route paths with
 * suffixes, queries and fragments differently. References to other files become empty schemas, so nothing is loaded.
 */
export function extractOperation(schemas: DocumentSchemas, method: string, path: string): OperationDocument {
  const pathItem = schemas.resolve(memberAt(memberAt(schemas.root, 'paths'), path)).value;
  const operation = schemas.resolve(memberAt(pathItem, method.toLowerCase())).value;
  const template = path.split(/[?#]/)[0] ?? '';
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const parameters = new Map<string, Value>();
  for (const value of [...listAt(pathItem, 'parameters'), ...listAt(operation, 'parameters')]) {
    const parameter = schemas.resolve(value).value;
    if (!isObject(parameter) || isIgnored(parameter)) continue;
    parameters.set(`${stringAt(parameter, 'in')} ${stringAt(parameter, 'name')}`, parameter);
  }
  const pathParameters = names.map(
    (name) => parameters.get(`path ${name}`) ?? { name, in: 'path', required: true, schema: { type: 'string' } },
  );
  const otherParameters = [...parameters.values()].filter((parameter) => stringAt(parameter, 'in') !== 'path');
  const queryNames = otherParameters.flatMap((parameter) =>
    stringAt(parameter, 'in') === 'query' ? [stringAt(parameter, 'name') ?? ''] : [],
  );
  const body = schemas.resolve(memberAt(operation, 'requestBody')).value;
  const components: Components = { schemas: {} };
  const list = [
    ...pathParameters.map((parameter, index) => toValidated(parameter, `p${index}`)),
    ...otherParameters.flatMap((parameter) => {
      const name = stringAt(parameter, 'name') ?? '';
      if (stringAt(parameter, 'in') !== 'query') return [toValidated(parameter, name)];
      const isDefined = !isNested(schemas, memberAt(parameter, 'schema'));
      return isDefined ? [toValidated(parameter, toPlainName(queryNames, name))] : [];
    }),
  ];
  const parametersCopy = new Copy(schemas, components, true).copyValue(list);
  const bodyCopy = isObject(body) ? new Copy(schemas, components, false).copyValue(body) : undefined;
  const security = memberAt(operation, 'security') ?? memberAt(schemas.root, 'security');
  const schemes = Object.entries(objectAt(memberAt(schemas.root, 'components'), 'securitySchemes') ?? {});
  const document = {
    openapi: stringAt(schemas.root, 'openapi') ?? '3.0.3',
    info: { title: 'One operation', version: '1' },
    paths: {
      [`/call${names.map((_, index) => `/{p${index}}`).join('')}`]: {
        [method.toLowerCase()]: {
          parameters: parametersCopy,
          ...(bodyCopy !== undefined && { requestBody: bodyCopy }),
          responses: { default: { description: 'any' } },
          ...(security !== undefined && { security }),
        },
      },
    },
    components: {
      ...components,
      securitySchemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, schemas.resolve(scheme).value ?? {}])),
    },
  };
  return {
    document,
    schemas: new DocumentSchemas(document),
    contentOf: (contentType) => {
      const contents = Object.entries(objectAt(bodyCopy, 'content') ?? {});
      const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
      return memberAt(contents.find(([name]) => name.toLowerCase().startsWith(type))?.[1], 'schema');
    },
    translateTarget: createTranslation(template, queryNames),
  };
}

/** OpenAPI ignores parameters for some headers (3.1, section 4.8.12.2), and the HTTP client sets others. */
const isIgnored = (parameter: Value): boolean =>
  stringAt(parameter, 'in') === 'header' &&
  /^(accept|content-type|authorization|connection|content-length|host|transfer-encoding)$/i.test(
    stringAt(parameter, 'name') ?? '',
  );

/** Returns a parameter with another name, and with its style, because the validator does not know all defaults. */
function toValidated(parameter: Value, name: string): Value {
  if (!isObject(parameter) || memberAt(parameter, 'schema') === undefined) return parameter;
  const location = stringAt(parameter, 'in');
  const style = stringAt(parameter, 'style') ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple');
  return { ...parameter, name, style, explode: memberAt(parameter, 'explode') ?? style === 'form' };
}

/** Whether a value can contain arrays or objects with further ones: OpenAPI does not define how a query contains them. */
function isNested(schemas: DocumentSchemas, schema: Value | undefined): boolean {
  const isStructure = (value: Value): boolean =>
    schemas
      .conjunctsOf(value, alternativeKeywords)
      .some(
        (part) => /^(?:object|array)$/.test(stringAt(part, 'type') ?? '') || objectAt(part, 'properties') !== undefined,
      );
  return schemas
    .conjunctsOf(schema, alternativeKeywords)
    .flatMap((part) => [memberAt(part, 'items'), ...Object.values(objectAt(part, 'properties') ?? {})])
    .some((value) => value !== undefined && isStructure(value));
}

const alternativeKeywords = ['allOf', 'anyOf', 'oneOf'];

/** The validator's parser of queries reads brackets in names as members of objects. */
const toPlainName = (names: readonly string[], name: string): string =>
  /[[\]]/.test(name) ? `q${names.indexOf(name)}` : name;

function translateQuery(names: readonly string[], query: string): string {
  const bracketNames = names.filter((name) => toPlainName(names, name) !== name);
  const translatePair = (pair: string): string => {
    const [key = '', ...value] = pair.split('=');
    const decodedKey = decodeURIComponent(key.replaceAll('+', ' '));
    const name = bracketNames.find((candidate) => decodedKey === candidate || decodedKey === `${candidate}[]`);
    return name === undefined ? pair : [toPlainName(names, name), ...value].join('=');
  };
  return query.split('&').map(translatePair).join('&');
}

/** The prefix of the server may be anything, so the path is matched at the end. */
function createTranslation(template: string, queryNames: readonly string[]): OperationDocument['translateTarget'] {
  const pattern = template
    .split(/\{[^{}]+\}/)
    .map((text) => encodePlain(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('([^/?]*)');
  const matcher = new RegExp(`${pattern}$`);
  return (target) => {
    const [path = '', ...query] = target.split('?');
    const match = matcher.exec(encodePlain(path));
    const values = match?.slice(1) ?? [];
    if (!match || values.includes('')) return null;
    return `/call${values.map((value) => `/${value}`).join('')}${query.length > 0 ? `?${translateQuery(queryNames, query.join('?'))}` : ''}`;
  };
}

/** Encodes the characters that a URL cannot contain, and decodes those that need no encoding. */
const encodePlain = (text: string): string =>
  text
    .replace(/[^\x21-\x7e]|["<>\\^`|]/gu, (character) => encodeURIComponent(character))
    .replace(/%(?:3A|40|24|2C|3B|3D|2B|28|29|21|27|2A|7E)/gi, (escape) => decodeURIComponent(escape));

/** Whether the validator can read a pattern: it reads all with the flag `u`, and fails for one that is invalid then. */
const isPattern = (pattern: Value | undefined): boolean => {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
};

interface Components extends ObjectValue {
  readonly schemas: Record<string, Value>;
}

/** Copies values together with the parts of the document that they refer to. */
class Copy {
  readonly #schemas: DocumentSchemas;
  readonly #components: Components;
  readonly #isText: boolean;
  readonly #names = new Map<string, string>();

  /** `isText`: the values are texts, as parameters are. Each number is then also a text, and `readOnly` says nothing. */
  constructor(schemas: DocumentSchemas, components: Components, isText: boolean) {
    this.#schemas = schemas;
    this.#components = components;
    this.#isText = isText;
  }

  /** `readOnlyNames`: the members that a schema around this one, such as one with `allOf`, declares as read-only. */
  copyValue(value: Value, readOnlyNames: ReadonlySet<string> = new Set()): Value {
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.copyValue(item, readOnlyNames));
    if (!isObject(value)) return value;
    const reference = stringAt(value, '$ref');
    if (reference !== null) return this.#copyReference(reference, readOnlyNames);
    if (isMember(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.copyValue(member)]));
    const names = new Set([...readOnlyNames, ...this.#readOnlyNamesOf(value)]);
    const members = Object.entries(value)
      .filter(([name]) => !this.#omits(name, value))
      .map(([name, member]): [string, Value] => {
        // Only answers contain a required member that is read-only.
        if (name === 'required' && Array.isArray(member))
          return [name, (member as readonly Value[]).filter((item) => !names.has(`${item as string}`))];
        const isSameValue = alternativeKeywords.includes(name);
        const isOverlapping = name === 'oneOf' && (this.#isText || !this.#hasStructures(value));
        return [isOverlapping ? 'anyOf' : name, this.copyValue(member, isSameValue ? names : new Set())];
      });
    return Object.fromEntries(members);
  }

  #readOnlyNamesOf(schema: ObjectValue): readonly string[] {
    if (!['properties', ...alternativeKeywords].some((keyword) => memberAt(schema, keyword) !== undefined)) return [];
    const declarations = this.#schemas
      .conjunctsOf(schema, alternativeKeywords)
      .flatMap((part) => Object.entries(objectAt(part, 'properties') ?? {}));
    return declarations.flatMap(([name, declaration]) => (this.#schemas.isReadOnly(declaration) ? [name] : []));
  }

  /** Whether an alternative is an object or an array. Documents list other values, such as `-1`, next to all texts. */
  #hasStructures(schema: ObjectValue): boolean {
    return this.#schemas
      .conjunctsOf({ anyOf: listAt(schema, 'oneOf') }, alternativeKeywords)
      .some(
        (part) => /^(?:object|array)$/.test(stringAt(part, 'type') ?? '') || objectAt(part, 'properties') !== undefined,
      );
  }

  #omits(name: string, { type, format, allOf, pattern }: ObjectValue): boolean {
    // The validator's own interpretation of discriminators needs all schemas of the document, and its `nullable` a type.
    // It inserts defaults, which are not part of the request. A schema without further members forbids those of the
    // schemas that it is combined with.
    return (
      /^(discriminator|default|examples?|x-.*)$/.test(name) ||
      (name === 'nullable' && type === undefined) ||
      (name === 'format' && !knownFormats.has(`${format as string}`)) ||
      (name === 'pattern' && !isPattern(pattern)) ||
      (name === 'additionalProperties' && allOf !== undefined) ||
      (name === 'readOnly' && this.#isText)
    );
  }

  #copyReference(reference: string, readOnlyNames: ReadonlySet<string>): Value {
    const key = [reference, ...readOnlyNames].join(' ');
    const copiedName = this.#names.get(key);
    if (copiedName !== undefined) return { $ref: `#/components/schemas/${copiedName}` };
    const { value } = this.#schemas.resolve({ $ref: reference });
    if (!isObject(value)) return {};
    const name = `${this.#isText ? 'P' : 'S'}${this.#names.size}`;
    this.#names.set(key, name);
    this.#components.schemas[name] = this.copyValue(value, readOnlyNames);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** The formats that the validator checks; it prints a warning for others. */
const knownFormats = new Set(
  'date date-time time duration email hostname ipv4 ipv6 uri uri-reference uuid byte binary int32 int64'.split(' '),
);

/** Whether the names are those of members, as in `properties`, rather than keywords. */
const isMember = (value: ObjectValue): boolean =>
  Object.values(value).every(isObject) && objectAt(value, 'schema') === undefined;
