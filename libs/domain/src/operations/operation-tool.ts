import { firstCharacters } from '../characters.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json } from '../json.ts';
import { plainLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, nameBytes, textOf, type DraftObject } from './draft.ts';
import { Growth, type Position } from './growth.ts';
import {
  contentOf,
  isJsonMediaType,
  parametersOf,
  requestBodyOf,
  textIn,
  type ParameterLocation,
} from './operation-parts.ts';
import type { OperationFacts } from './operation-slice.ts';
import { sourceOf, type Source } from './references.ts';
import { ranks, topLevel, type Level } from './schema-growth.ts';
import { flatSchema, toolLimits, ToolSchemaGrowth } from './tool-schema.ts';

/**
 * Returns the operation as a function tool for language models, as a JSON text of at most `maxBytes` (extensions,
 * section 1; docs/tool-formats.md). Its arguments are the parameters and the body's members, except those that the
 * credential fills in. Each argument has its location in `x-portico-in` and, if its name there is different, that name
 * in `x-portico-name`; `''` is the whole body. If arguments do not fit, the description lists them.
 */
export function operationTool(
  document: Json,
  operation: DocumentOperation,
  facts: OperationFacts,
  maxBytes: number,
): string {
  const source = sourceOf(document);
  const args = argumentsOf(source, operation, facts);
  const whole = grow(source, operation, facts, args, maxBytes);
  const missing = missingOf(args, whole);
  if (missing.length === 0) return textOf(whole.root);
  const smaller = grow(source, operation, facts, args, maxBytes - noteCharacters * 4 - 20);
  const description = JSON.parse(textOf(smaller.root.get('description') ?? '""')) as string;
  smaller.root.set('description', JSON.stringify(`${description}${noteOf(missingOf(args, smaller))}`));
  return textOf(smaller.root);
}

const noteCharacters = 100;

const noteOf = (missing: readonly Argument[]): string => {
  const names = firstCharacters(` Left out for size: ${missing.map(({ key }) => key).join(', ')}`, noteCharacters - 1);
  return `${names}…`;
};

/** An argument of the tool. */
interface Argument {
  /** The name of the tool's property. */
  readonly key: string;
  readonly in: ParameterLocation | 'body';
  /** The argument's name in the request; `''` for the whole body. */
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json | undefined;
  readonly description: string | null;
  readonly level: Level;
}

interface ToolDraft {
  readonly root: DraftObject;
  readonly properties: DraftObject;
}

const missingOf = (args: readonly Argument[], { properties }: ToolDraft): Argument[] =>
  args.filter(({ key }) => !properties.has(key));

function grow(
  source: Source,
  operation: DocumentOperation,
  facts: OperationFacts,
  args: readonly Argument[],
  bytes: number,
): ToolDraft {
  const properties: DraftObject = new Map();
  const input: DraftObject = new Map<string, string | DraftObject>([
    ['type', '"object"'],
    ['properties', properties],
  ]);
  const names = args.filter(({ required }) => required).map(({ key }) => key);
  if (names.length > 0) input.set('required', '[]');
  const root: DraftObject = new Map<string, string | DraftObject>([
    ['name', JSON.stringify(toolName(operation, facts))],
    ['description', '""'],
    ['input_schema', input],
  ]);
  const growth = new Growth(bytes - bytesOf(root));
  const schemas = new ToolSchemaGrowth(growth, source);
  offerDescription(growth, { parent: null, container: root, key: 'description', keyword: false }, operation);
  const at: Position = {
    parent: { parent: null, container: root, key: 'input_schema', keyword: false },
    container: input,
    key: 'properties',
    keyword: true,
  };
  for (const argument of args.slice(0, growth.partsLeft)) {
    const place: Position = { parent: at, container: properties, key: argument.key, keyword: false };
    const first: DraftObject = new Map([['x-portico-in', JSON.stringify(argument.in)]]);
    if (argument.name !== argument.key) first.set('x-portico-name', JSON.stringify(argument.name.toWellFormed()));
    const needsDescription =
      argument.description !== null &&
      isJsonObject(argument.schema) &&
      memberOf(argument.schema, 'description') === undefined;
    const schema = needsDescription ? withDescription(source, argument) : argument.schema;
    const extraBytes = argument.required ? nameBytes(argument.key) : 0;
    schemas.offer(argument.required ? ranks.identity : ranks.optionalParameters, place, schema, argument.level, {
      first,
      extraBytes,
    });
  }
  growth.run();
  const present = names.filter((key) => properties.has(key));
  if (present.length > 0) input.set('required', JSON.stringify(present));
  else input.delete('required');
  return { root, properties };
}

/** Moves the parameter's description into its schema. */
const withDescription = (source: Source, { schema, description, level }: Argument): Json => ({
  ...flatSchema(source, schema, level.trail).schema,
  description: description ?? '',
});

/** Offers a short description first, and the longest one that fits after everything else has been placed. */
function offerDescription(growth: Growth, place: Position, { operation, method, path }: DocumentOperation): void {
  const texts = [textIn(operation, 'summary'), textIn(operation, 'description')].flatMap((text) => text?.trim() || []);
  const call = firstCharacters(plainLine(`${method} ${path}`), 300);
  const text = (max: number): string => {
    const words = [...new Set(texts)].join('\n\n');
    const room = max - call.length - 3;
    const cut = firstCharacters(words, Math.floor(room / 2));
    const fitting =
      words.length <= room
        ? words
        : firstCharacters(words, room - 1).length <= room - 1
          ? `${firstCharacters(words, room - 1)}…`
          : `${cut}…`;
    return words === '' ? call : `${fitting} (${call})`;
  };
  const [short, long] = [text(500), text(toolLimits.descriptionCharacters - noteCharacters)];
  const then = () => {
    if (long !== short)
      growth.offer({ rank: ranks.longTexts, place, make: () => ({ draft: JSON.stringify(long), fallback: null }) });
  };
  growth.offer({
    rank: ranks.identity,
    place,
    make: () => ({ draft: JSON.stringify(short), fallback: JSON.stringify(firstCharacters(call, 100)), then }),
  });
}

function argumentsOf(source: Source, operation: DocumentOperation, facts: OperationFacts): Argument[] {
  const { document } = source;
  const usedNames = new Set<string>();
  const parameters = parametersOf(document, operation).filter(({ in: place, name }) => !isFilledIn(place, name, facts));
  const order: readonly string[] = ['path', 'query', 'header', 'cookie'];
  parameters.sort((a, b) => order.indexOf(a.in) - order.indexOf(b.in));
  const parameterArguments = parameters.map(({ name, in: place, required, object }): Argument => {
    const schema = memberOf(object, 'schema') ?? contentOf(object)?.schema ?? {};
    const description = textIn(object, 'description');
    return {
      key: propertyName(name, place, usedNames),
      in: place,
      name,
      required,
      schema,
      description,
      level: topLevel(required),
    };
  });
  return [...parameterArguments, ...bodyArguments(source, operation, usedNames)];
}

function bodyArguments(source: Source, operation: DocumentOperation, usedNames: Set<string>): Argument[] {
  const body = requestBodyOf(source.document, operation);
  if (!body?.content) return [];
  const { schema, trail } = flatSchema(source, body.content.schema, null);
  const properties = memberOf(schema, 'properties');
  const isObject = schema['type'] === 'object' || schema['type'] === undefined;
  const media = isJsonMediaType(body.content.mediaType) ? '' : ` (${plainLine(body.content.mediaType)})`;
  if (
    !isObject ||
    !isJsonObject(properties) ||
    Object.keys(properties).length === 0 ||
    schema['anyOf'] ||
    schema['oneOf']
  ) {
    const key = propertyName('body', 'body', usedNames);
    const description = `${textIn(body.object, 'description') ?? 'The body'}${media}`;
    return [
      {
        key,
        in: 'body',
        name: '',
        required: body.required,
        schema: body.content.schema ?? {},
        description,
        level: topLevel(true),
      },
    ];
  }
  const names = new Set(Array.isArray(schema['required']) ? (schema['required'] as Json[]) : []);
  return Object.entries(properties).map(([name, one]): Argument => {
    // This applies even if a document forgets to require the body, as many do: callers hardly ever intend to omit its
    // members.
    const required = names.has(name);
    const level: Level = { depth: 0, required, trail };
    return {
      key: propertyName(name, 'body', usedNames),
      in: 'body',
      name,
      required,
      schema: one,
      description: null,
      level,
    };
  });
}

/** Whether the caller's HTTP client sets the parameter, because it is the credential or a header about the body. */
function isFilledIn(place: ParameterLocation, name: string, { authentication }: OperationFacts): boolean {
  const lower = name.toLowerCase();
  if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(lower)) return true;
  return (authentication.in ?? 'header') === place && authentication.name?.toLowerCase() === lower;
}

/** Returns a unique name of letters, digits and underscores; the location is appended if the name is in use. */
function propertyName(name: string, place: string, usedNames: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_').slice(0, toolLimits.propertyNameCharacters);
  const safe = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`.slice(0, toolLimits.propertyNameCharacters);
  const candidates = (n: number): string =>
    n === 0 ? safe : withSuffix(safe, n === 1 ? `_${place}` : `_${place}_${n}`);
  let count = 0;
  while (usedNames.has(candidates(count))) count++;
  usedNames.add(candidates(count));
  return candidates(count);
}

const withSuffix = (name: string, end: string): string =>
  name.slice(0, toolLimits.propertyNameCharacters - end.length) + end;

/**
 * Returns a name derived from `operationId`, else from the method and path; if that loses information, the beginning of
 * the key is added.
 */
export function toolName({ method, path, operation }: DocumentOperation, { operationKey }: OperationFacts): string {
  const id = textIn(operation, 'operationId')?.trim();
  const source = id ? id : `${method.toLowerCase()}${path}`;
  const plain = source.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[^A-Za-z_]+/, '_');
  const end = `_${operationKey.slice(0, 6)}`;
  if (plain === source && plain.length <= toolLimits.nameCharacters) return plain;
  return plain.slice(0, toolLimits.nameCharacters - end.length).replace(/_$/, '') + end;
}
