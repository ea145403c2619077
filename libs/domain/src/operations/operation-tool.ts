import { takeFirstCharacters } from '../characters.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json } from '../json.ts';
import { toPlainLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, nameBytesOf, textOf, type DraftObject } from './draft.ts';
import { Growth, type Position } from './growth.ts';
import {
  contentOf,
  isJsonMediaType,
  parametersOf,
  requestBodyOf,
  textAt,
  type ParameterLocation,
} from './operation-parts.ts';
import type { OperationContext } from './operation-slice.ts';
import { sourceOf, type Source } from './references.ts';
import { ranks, createTopLevel, type Level } from './schema-growth.ts';
import { flattenSchema, toolLimits, ToolSchemaGrowth } from './tool-schema.ts';

/**
 * Returns the operation as a function tool for language models, as a JSON text of at most `maxBytes` (extensions,
 * section 1; docs/tool-formats.md). Its arguments are the parameters and the body's members, except those that the
 * credential fills in. Each argument has its location in `x-portico-in` and, if its name there is different, that name
 * in `x-portico-name`; `''` is the whole body. If arguments do not fit, the description lists them.
 */
export function buildOperationTool(
  document: Json,
  operation: DocumentOperation,
  context: OperationContext,
  maxBytes: number,
): string {
  const source = sourceOf(document);
  const args = argumentsOf(source, operation, context);
  const completeDraft = build(source, operation, context, args, maxBytes);
  const missingArguments = missingArgumentsOf(args, completeDraft);
  if (missingArguments.length === 0) return textOf(completeDraft.root);
  const smallerDraft = build(source, operation, context, args, maxBytes - noteCharacters * 4 - 20);
  const description = JSON.parse(textOf(smallerDraft.root.get('description') ?? '""')) as string;
  smallerDraft.root.set(
    'description',
    JSON.stringify(`${description}${noteOf(missingArgumentsOf(args, smallerDraft))}`),
  );
  return textOf(smallerDraft.root);
}

const noteCharacters = 100;

const noteOf = (missingArguments: readonly Argument[]): string => {
  const names = takeFirstCharacters(
    ` Omitted to save space: ${missingArguments.map(({ key }) => key).join(', ')}`,
    noteCharacters - 1,
  );
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

const missingArgumentsOf = (args: readonly Argument[], { properties }: ToolDraft): Argument[] =>
  args.filter(({ key }) => !properties.has(key));

function build(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
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
    ['name', JSON.stringify(toToolName(operation, context))],
    ['description', '""'],
    ['input_schema', input],
  ]);
  const growth = new Growth(bytes - bytesOf(root));
  const schemas = new ToolSchemaGrowth(growth, source);
  enqueueDescription(growth, { parent: null, container: root, key: 'description', isKeyword: false }, operation);
  const propertiesPlace: Position = {
    parent: { parent: null, container: root, key: 'input_schema', isKeyword: false },
    container: input,
    key: 'properties',
    isKeyword: true,
  };
  for (const argument of args.slice(0, growth.partsLeft)) {
    const place: Position = { parent: propertiesPlace, container: properties, key: argument.key, isKeyword: false };
    const leadingMembers: DraftObject = new Map([['x-portico-in', JSON.stringify(argument.in)]]);
    if (argument.name !== argument.key)
      leadingMembers.set('x-portico-name', JSON.stringify(argument.name.toWellFormed()));
    const needsDescription =
      argument.description !== null &&
      isJsonObject(argument.schema) &&
      memberOf(argument.schema, 'description') === undefined;
    const schema = needsDescription ? addDescription(source, argument) : argument.schema;
    const extraBytes = argument.required ? nameBytesOf(argument.key) : 0;
    schemas.enqueue(argument.required ? ranks.identity : ranks.optionalParameters, place, schema, argument.level, {
      leadingMembers,
      extraBytes,
    });
  }
  growth.run();
  const presentNames = names.filter((key) => properties.has(key));
  if (presentNames.length > 0) input.set('required', JSON.stringify(presentNames));
  else input.delete('required');
  return { root, properties };
}

/** Moves the parameter's description into its schema. */
const addDescription = (source: Source, { schema, description, level }: Argument): Json => ({
  ...flattenSchema(source, schema, level.trail).schema,
  description: description ?? '',
});

/** Queues a short description first, and the longest one that fits after everything else has been placed. */
function enqueueDescription(growth: Growth, place: Position, { operation, method, path }: DocumentOperation): void {
  const texts = [textAt(operation, 'summary'), textAt(operation, 'description')].flatMap((text) => text?.trim() || []);
  const callText = takeFirstCharacters(toPlainLine(`${method} ${path}`), 300);
  const shortenText = (max: number): string => {
    const words = [...new Set(texts)].join('\n\n');
    const available = max - callText.length - 3;
    const shortened = takeFirstCharacters(words, Math.floor(available / 2));
    const fittedText =
      words.length <= available
        ? words
        : takeFirstCharacters(words, available - 1).length <= available - 1
          ? `${takeFirstCharacters(words, available - 1)}…`
          : `${shortened}…`;
    return words === '' ? callText : `${fittedText} (${callText})`;
  };
  const [shortText, longText] = [shortenText(500), shortenText(toolLimits.descriptionCharacters - noteCharacters)];
  const onAdded = () => {
    if (longText !== shortText)
      growth.enqueue({
        rank: ranks.longTexts,
        place,
        build: () => ({ draft: JSON.stringify(longText), fallback: null }),
      });
  };
  growth.enqueue({
    rank: ranks.identity,
    place,
    build: () => ({
      draft: JSON.stringify(shortText),
      fallback: JSON.stringify(takeFirstCharacters(callText, 100)),
      onAdded,
    }),
  });
}

function argumentsOf(source: Source, operation: DocumentOperation, context: OperationContext): Argument[] {
  const { document } = source;
  const usedNames = new Set<string>();
  const parameters = parametersOf(document, operation).filter(
    ({ in: location, name }) => !isProvided(location, name, context),
  );
  const locationOrder: readonly string[] = ['path', 'query', 'header', 'cookie'];
  parameters.sort((a, b) => locationOrder.indexOf(a.in) - locationOrder.indexOf(b.in));
  const parameterArguments = parameters.map(({ name, in: location, required, object }): Argument => {
    const schema = memberOf(object, 'schema') ?? contentOf(object)?.schema ?? {};
    const description = textAt(object, 'description');
    return {
      key: toPropertyName(name, location, usedNames),
      in: location,
      name,
      required,
      schema,
      description,
      level: createTopLevel(required),
    };
  });
  return [...parameterArguments, ...bodyArgumentsOf(source, operation, usedNames)];
}

function bodyArgumentsOf(source: Source, operation: DocumentOperation, usedNames: Set<string>): Argument[] {
  const body = requestBodyOf(source.document, operation);
  if (!body?.content) return [];
  const { schema, trail } = flattenSchema(source, body.content.schema, null);
  const properties = memberOf(schema, 'properties');
  const isObject = schema['type'] === 'object' || schema['type'] === undefined;
  const mediaTypeNote = isJsonMediaType(body.content.mediaType) ? '' : ` (${toPlainLine(body.content.mediaType)})`;
  if (
    !isObject ||
    !isJsonObject(properties) ||
    Object.keys(properties).length === 0 ||
    schema['anyOf'] ||
    schema['oneOf']
  ) {
    const key = toPropertyName('body', 'body', usedNames);
    const description = `${textAt(body.object, 'description') ?? 'The body'}${mediaTypeNote}`;
    return [
      {
        key,
        in: 'body',
        name: '',
        required: body.required,
        schema: body.content.schema ?? {},
        description,
        level: createTopLevel(true),
      },
    ];
  }
  const names = new Set(Array.isArray(schema['required']) ? (schema['required'] as Json[]) : []);
  return Object.entries(properties).map(([name, property]): Argument => {
    // This applies even if a document forgets to require the body, as many do: callers hardly ever intend to omit its
    // members.
    const required = names.has(name);
    const level: Level = { depth: 0, isRequired: required, trail };
    return {
      key: toPropertyName(name, 'body', usedNames),
      in: 'body',
      name,
      required,
      schema: property,
      description: null,
      level,
    };
  });
}

/** Whether the caller's HTTP client sets the parameter, because it is the credential or a header about the body. */
function isProvided(location: ParameterLocation, name: string, { authentication }: OperationContext): boolean {
  const lowerCaseName = name.toLowerCase();
  if (location === 'header' && ['accept', 'content-type', 'authorization'].includes(lowerCaseName)) return true;
  return (authentication.in ?? 'header') === location && authentication.name?.toLowerCase() === lowerCaseName;
}

/** Returns a unique name of letters, digits and underscores; the location is appended if the name is in use. */
function toPropertyName(name: string, place: string, usedNames: Set<string>): string {
  const sanitizedName = name.replace(/[^A-Za-z0-9_]/g, '_').slice(0, toolLimits.propertyNameCharacters);
  const validName = /^[A-Za-z_]/.test(sanitizedName)
    ? sanitizedName
    : `_${sanitizedName}`.slice(0, toolLimits.propertyNameCharacters);
  const toCandidateName = (n: number): string =>
    n === 0 ? validName : addSuffix(validName, n === 1 ? `_${place}` : `_${place}_${n}`);
  let count = 0;
  while (usedNames.has(toCandidateName(count))) count++;
  usedNames.add(toCandidateName(count));
  return toCandidateName(count);
}

const addSuffix = (name: string, end: string): string =>
  name.slice(0, toolLimits.propertyNameCharacters - end.length) + end;

/**
 * Returns a name derived from `operationId`, else from the method and path; if that loses information, the beginning of
 * the key is added.
 */
export function toToolName({ method, path, operation }: DocumentOperation, { operationKey }: OperationContext): string {
  const id = textAt(operation, 'operationId')?.trim();
  const source = id ? id : `${method.toLowerCase()}${path}`;
  const sanitizedName = source.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[^A-Za-z_]+/, '_');
  const end = `_${operationKey.slice(0, 6)}`;
  if (sanitizedName === source && sanitizedName.length <= toolLimits.nameCharacters) return sanitizedName;
  return sanitizedName.slice(0, toolLimits.nameCharacters - end.length).replace(/_$/, '') + end;
}
