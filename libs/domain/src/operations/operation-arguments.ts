import { isFileSchema } from './file-schema.ts';
import type { Parameter, ParameterLocation } from './parameters.ts';
import type { BodyContent } from './request-body.ts';
import { providedParametersOf, type RequestDescription } from './request-description.ts';
import { createNode, propertiesOf, requiredNamesOf, typesOf, type Schema, type SchemaNode } from './schema-node.ts';

/** An argument of an operation's tool: a parameter, a member of the body, or the whole body. */
export interface Argument {
  /** The name of the tool's property. */
  readonly key: string;
  readonly in: ParameterLocation | 'body';
  /** The argument's name in the request; `''` for the whole body. */
  readonly name: string;
  readonly required: boolean;
  readonly schema: SchemaNode;
  /** Describes the argument if its schema does not; null if there is nothing to add. */
  readonly description: string | null;
  /** Members that describe to programs how the argument is written, by the names of `x-portico-…`. */
  readonly notes: ReadonlyMap<string, string | boolean>;
  /** Null for a part of the body. */
  readonly parameter: Parameter | null;
}

/** The longest name of a property (docs/tool-formats.md). */
const keyCharacters = 64;
const locationOrder: readonly string[] = ['path', 'query', 'header', 'cookie'];

/** Returns the arguments that callers provide: without credentials, and without headers that follow from the body. */
export function argumentsOf(description: RequestDescription): readonly Argument[] {
  const usedKeys: UsedKeys = new Map();
  const parameters = [...providedParametersOf(description)].sort(
    (a, b) => locationOrder.indexOf(a.in) - locationOrder.indexOf(b.in),
  );
  const parameterArguments = parameters.map((parameter): Argument => ({
    key: toKey(parameter.name, parameter.in, usedKeys),
    in: parameter.in,
    name: parameter.name,
    required: parameter.required,
    schema: withExample(parameter),
    description: parameter.description,
    notes: notesOf(description, parameter),
    parameter,
  }));
  return [...parameterArguments, ...bodyArgumentsOf(description, usedKeys)];
}

/** Returns a parameter's schema; its example counts as one of the schema. */
const withExample = ({ schema, example }: Parameter): SchemaNode => {
  const node = schema ?? createNode({});
  return example === undefined
    ? node
    : { ...node, parts: [...node.parts, { value: { examples: [example] }, trail: null }] };
};

function notesOf({ reader }: RequestDescription, parameter: Parameter): ReadonlyMap<string, string | boolean> {
  const { style, explode, allowReserved, contentType, schema } = parameter;
  const notes = new Map<string, string | boolean>();
  if (contentType !== null) return notes.set('content-type', contentType);
  const types = schema ? typesOf(reader.read(schema)) : [];
  const isStructured = types.length === 0 || types.includes('array') || types.includes('object');
  if (isStructured || ['label', 'matrix'].includes(style)) notes.set('style', style).set('explode', explode);
  if (allowReserved) notes.set('allow-reserved', true);
  return notes;
}

function bodyArgumentsOf(description: RequestDescription, usedKeys: UsedKeys): Argument[] {
  const { body, reader } = description;
  const content = body?.content;
  if (!content) return [];
  const wholeBody = {
    key: '',
    in: 'body',
    name: '',
    required: body.required,
    schema: content.schema ?? createNode({}),
    notes: new Map(),
    parameter: null,
  } as const;
  if (content.kind === 'raw') {
    const text = `${body.description ?? 'The body'} (the text of ${content.contentType}, or a data: URL with base64)`;
    const schema = createNode({ type: 'string' });
    return [{ ...wholeBody, key: toKey('body', 'body', usedKeys), schema, description: text }];
  }
  const schema = content.schema && reader.read(content.schema);
  if (schema && !body.required && holdsNothing(schema)) return [];
  const note = content.kind === 'json' ? '' : ` (${content.contentType})`;
  if (!schema || !isFlat(schema)) {
    const example = content.example === undefined ? [] : [{ value: { examples: [content.example] }, trail: null }];
    return [
      {
        ...wholeBody,
        key: toKey('body', 'body', usedKeys),
        schema: {
          ...wholeBody.schema,
          parts: [...wholeBody.schema.parts, ...(wholeBody.schema.schema ? [] : example)],
        },
        description: `${body.description ?? 'The body'}${note}`,
      },
    ];
  }
  const required = requiredNamesOf(schema);
  const undeclared = [...required].filter((name) => !propertiesOf(schema).has(name));
  const members = [...propertiesOf(schema), ...undeclared.map((name) => [name, createNode({})] as const)].filter(
    ([, node]) => reader.read(node).isSatisfiable,
  );
  return members.map(([name, node]): Argument => {
    const isFile =
      content.kind === 'multipart' && isFileSchema(reader, node, content.encoding.get(name)?.contentType ?? null);
    return {
      key: toKey(name, 'body', usedKeys),
      in: 'body',
      name,
      // This applies even if a document forgets to require the body, as many do: callers hardly ever intend to omit
      // its members.
      required: required.has(name),
      schema: node,
      description: isFile ? 'The content of the file: text, or a data: URL with base64.' : null,
      notes: encodingNotesOf(content, name),
      parameter: null,
    };
  });
}

function encodingNotesOf({ encoding }: BodyContent, name: string): ReadonlyMap<string, string | boolean> {
  const notes = new Map<string, string | boolean>();
  const { style = null, explode = false, contentType = null } = encoding.get(name) ?? {};
  if (style !== null) notes.set('style', style).set('explode', explode);
  if (contentType !== null) notes.set('content-type', contentType);
  return notes;
}

/** Whether the only value is an object without members. */
const holdsNothing = (schema: Schema): boolean =>
  typesOf(schema).every((type) => type === 'object') &&
  schema.nodes.get('additionalProperties')?.parts.some(({ value }) => value === false) === true &&
  propertiesOf(schema).size === 0 &&
  !schema.maps.has('patternProperties') &&
  schema.lists.size === 0;

/** Whether the members of a body can be arguments of their own: it is an object, without alternatives or other names. */
function isFlat(schema: Schema): boolean {
  const types = typesOf(schema);
  const additional = schema.nodes.get('additionalProperties')?.parts ?? [];
  const isOpen = additional.some(({ value }) => typeof value !== 'boolean');
  return (
    types.every((type) => type === 'object') &&
    propertiesOf(schema).size > 0 &&
    !isOpen &&
    !schema.maps.has('patternProperties') &&
    !['oneOf', 'anyOf', 'allOf'].some((keyword) => schema.lists.has(keyword))
  );
}

/** The names in use; and for each name and place, which are no name together, the number of candidates tried. */
type UsedKeys = Map<string, number>;

/** Returns a unique name of letters, digits and underscores; the location is appended if the name is in use. */
function toKey(name: string, place: string, usedKeys: UsedKeys): string {
  const sanitizedName = name.replace(/[^A-Za-z0-9_]/g, '_').slice(0, keyCharacters);
  const validName = /^[A-Za-z_]/.test(sanitizedName) ? sanitizedName : `_${sanitizedName}`.slice(0, keyCharacters);
  const toCandidate = (n: number): string => {
    if (n === 0) return validName;
    const end = n === 1 ? `_${place}` : `_${place}_${n}`;
    return validName.slice(0, keyCharacters - end.length) + end;
  };
  // Many names can become the same one: the search goes on where the last one ended.
  const counter = `${validName} ${place}`;
  let count = usedKeys.get(counter) ?? 0;
  while (usedKeys.has(toCandidate(count))) count++;
  usedKeys.set(toCandidate(count), 0);
  usedKeys.set(counter, count);
  return toCandidate(count);
}
