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
  const body = schemas.resolve(memberAt(operation, 'requestBody')).value;
  const components: Components = { schemas: {} };
  const list = [
    ...pathParameters.map((parameter, index) =>
      isObject(parameter) ? { ...parameter, name: `p${index}` } : parameter,
    ),
    ...otherParameters,
  ];
  // `readOnly` says nothing about parameters.
  const parametersCopy = new Copy(schemas, components, 'P', ['readOnly']).copyValue(list);
  const bodyCopy = isObject(body) ? new Copy(schemas, components, 'S', []).copyValue(body) : undefined;
  const document = {
    openapi: stringAt(schemas.root, 'openapi') ?? '3.0.3',
    info: { title: 'One operation', version: '1' },
    paths: {
      [`/call${names.map((_, index) => `/{p${index}}`).join('')}`]: {
        [method.toLowerCase()]: {
          parameters: parametersCopy,
          ...(bodyCopy !== undefined && { requestBody: bodyCopy }),
          responses: { default: { description: 'any' } },
        },
      },
    },
    components,
  };
  return {
    document,
    schemas: new DocumentSchemas(document),
    contentOf: (contentType) => {
      const contents = Object.entries(objectAt(bodyCopy, 'content') ?? {});
      const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
      return memberAt(contents.find(([name]) => name.toLowerCase().startsWith(type))?.[1], 'schema');
    },
    translateTarget: createTranslation(template),
  };
}

/** OpenAPI ignores parameters for these headers (3.1, section 4.8.12.2). */
const isIgnored = (parameter: Value): boolean =>
  stringAt(parameter, 'in') === 'header' &&
  /^(accept|content-type|authorization)$/i.test(stringAt(parameter, 'name') ?? '');

/** The prefix of the server may be anything, so the path is matched at the end. */
function createTranslation(template: string): OperationDocument['translateTarget'] {
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
    return `/call${values.map((value) => `/${value}`).join('')}${query.length > 0 ? `?${query.join('?')}` : ''}`;
  };
}

/** Encodes the characters that a URL cannot contain, and decodes those that need no encoding. */
const encodePlain = (text: string): string =>
  text
    .replace(/[^\x21-\x7e]|["<>\\^`|]/gu, (character) => encodeURIComponent(character))
    .replace(/%(?:3A|40|24|2C|3B|3D|2B|28|29|21|27|2A|7E)/gi, (escape) => decodeURIComponent(escape));

interface Components extends ObjectValue {
  readonly schemas: Record<string, Value>;
}

/** Copies values together with the parts of the document that they refer to. */
class Copy {
  readonly #schemas: DocumentSchemas;
  readonly #components: Components;
  readonly #prefix: string;
  readonly #omitted: readonly string[];
  readonly #names = new Map<string, string>();

  constructor(schemas: DocumentSchemas, components: Components, prefix: string, omitted: readonly string[]) {
    this.#schemas = schemas;
    this.#components = components;
    this.#prefix = prefix;
    this.#omitted = omitted;
  }

  copyValue(value: Value): Value {
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.copyValue(item));
    if (!isObject(value)) return value;
    const reference = stringAt(value, '$ref');
    if (reference !== null) return this.#copyReference(reference);
    const members = Object.entries(value).filter(([name]) => isMember(value) || !this.#omits(name, value));
    return Object.fromEntries(members.map(([name, member]) => [name, this.copyValue(member)]));
  }

  #omits(name: string, { type }: ObjectValue): boolean {
    // The validator's own interpretation of discriminators needs all schemas of the document, and its `nullable` a type.
    return (
      /^(discriminator|examples?|x-.*)$/.test(name) ||
      (name === 'nullable' && type === undefined) ||
      this.#omitted.includes(name)
    );
  }

  #copyReference(reference: string): Value {
    const copiedName = this.#names.get(reference);
    if (copiedName !== undefined) return { $ref: `#/components/schemas/${copiedName}` };
    const { value } = this.#schemas.resolve({ $ref: reference });
    if (!isObject(value)) return {};
    const name = `${this.#prefix}${this.#names.size}`;
    this.#names.set(reference, name);
    this.#components.schemas[name] = this.copyValue(value);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Whether the names are those of members, as in `properties`, rather than keywords. */
const isMember = (value: ObjectValue): boolean =>
  Object.values(value).every(isObject) && objectAt(value, 'schema') === undefined;
