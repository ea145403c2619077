import { takeFirstCharacters } from '../characters.ts';
import { toPlainLine } from '../line.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { bytesOf, nameBytesOf, textOf, type DraftObject } from './draft.ts';
import { Growth, type Position, type TruncatedPlace } from './growth.ts';
import { argumentsOf, type Argument } from './operation-arguments.ts';
import { referenceOf, textAt } from './operation-parts.ts';
import type { Source } from './references.ts';
import { describeRequest, type OperationContext, type RequestDescription } from './request-description.ts';
import { createTopLevel, ranks } from './schema-growth.ts';
import { pathOf } from './truncated.ts';
import { toolLimits, ToolSchemaGrowth } from './tool-schema.ts';

/**
 * Returns the operation as a function tool for language models, as a JSON text of at most `maxBytes` (extensions,
 * section 1; docs/tool-formats.md). Its arguments are the parameters and the body's members, except those that the
 * credential fills in. Each argument has its location in `x-portico-in` and, if its name there is different, that name
 * in `x-portico-name`; `''` is the whole body. `request` says how they are sent. The description lists the missing parts.
 */
export function buildOperationTool(
  source: Source,
  operation: DocumentOperation,
  context: OperationContext,
  maxBytes: number,
): string {
  const description = describeRequest(source, operation, context);
  const buildDraft = (bytes: number) => build(description, bytes);
  const completeDraft = buildDraft(maxBytes);
  const noteBytes = Math.min(noteBytesMax, Math.floor(maxBytes / noteShare));
  if (noteOf(completeDraft, noteBytes) === '') return textOf(completeDraft.root);
  const smallerDraft = buildDraft(maxBytes - noteBytes);
  const text = JSON.parse(textOf(smallerDraft.root.get('description') ?? '""')) as string;
  smallerDraft.root.set('description', JSON.stringify(`${text}${noteOf(smallerDraft, noteBytes)}`));
  return textOf(smallerDraft.root);
}

/** The longest note about missing parts, in bytes of JSON, and its share of a small tool. */
const [noteBytesMax, noteShare] = [300, 8];

interface ToolDraft {
  readonly root: DraftObject;
  readonly truncatedPlaces: readonly TruncatedPlace[];
  /** The references to descriptions in other files. */
  readonly externalParts: readonly string[];
}

/** Returns sentences about the parts that are missing; empty if there are none. */
function noteOf({ truncatedPlaces, externalParts }: ToolDraft, bytesMax: number): string {
  const namesFor = (reasons: readonly string[]): string[] => [
    ...new Set(truncatedPlaces.filter(({ reason }) => reasons.includes(reason)).flatMap(nameOf)),
  ];
  const external = [...externalParts, ...namesFor(['external'])];
  const omitted = namesFor(['budget', 'cycle']);
  const sentences = [
    ...(external.length > 0 ? [`Described in another file: ${external.join(', ')}`] : []),
    ...(omitted.length > 0 ? [`Left out: ${omitted.join(', ')}`] : []),
  ];
  if (sentences.length === 0) return '';
  const text = sentences.map((sentence) => ` ${sentence}.`).join('');
  const isFitting = (note: string): boolean => bytesOf(JSON.stringify(note)) <= bytesMax;
  if (isFitting(text)) return text;
  let length = text.length;
  while (!isFitting(`${takeFirstCharacters(text, length)}…`)) length = Math.floor(length * 0.9);
  return `${takeFirstCharacters(text, length)}…`;
}

/** Returns the name of a missing part, such as `items.price`; nothing for texts and examples. */
function nameOf({ place }: TruncatedPlace): string[] {
  const tokens = pathOf(place);
  if (tokens[0] !== 'input_schema' || isAnnotation(`${tokens.at(-1)}`)) return [];
  const names = tokens.slice(2).filter((token) => !schemaTokens.has(`${token}`) && typeof token === 'string');
  return names.length === 0 ? [] : [names.join('.')];
}

const schemaTokens = new Set(['properties', 'items', 'anyOf', 'additionalProperties']);
const isAnnotation = (token: string): boolean => ['description', 'examples', 'default'].includes(token);

function build(description: RequestDescription, bytes: number): ToolDraft {
  const { operation, context, reader } = description;
  const args = argumentsOf(description);
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
    ['request', 'null'],
    ...(context.call ? [['call', JSON.stringify(context.call)] as const] : []),
  ]);
  const growth = new Growth(bytes - bytesOf(root));
  const placeOf = (key: string): Position => ({ parent: null, container: root, key, isKeyword: false });
  enqueueDescription(growth, placeOf('description'), operation);
  const request = JSON.stringify({
    method: operation.method,
    url: description.address.url.toWellFormed(),
    content_type: description.body?.content?.contentType ?? null,
    accept: description.accept,
  });
  growth.enqueue({
    rank: ranks.identity,
    place: placeOf('request'),
    build: () => ({ draft: request, fallback: null }),
  });
  const schemas = new ToolSchemaGrowth(growth, reader);
  const propertiesPlace: Position = {
    parent: placeOf('input_schema'),
    container: input,
    key: 'properties',
    isKeyword: true,
  };
  for (const argument of args) {
    const { key, required, schema } = argument;
    const place: Position = { parent: propertiesPlace, container: properties, key, isKeyword: false };
    schemas.enqueue(required ? ranks.identity : ranks.optionalParameters, place, schema, createTopLevel(required), {
      leadingMembers: leadingMembersOf(argument),
      description: argument.description,
      extraBytes: required ? nameBytesOf(key) : 0,
    });
  }
  growth.run();
  const presentNames = names.filter((key) => properties.has(key));
  if (presentNames.length > 0) input.set('required', JSON.stringify(presentNames));
  else input.delete('required');
  return { root, truncatedPlaces: growth.truncatedPlaces, externalParts: listExternalParts(description) };
}

/** Returns the parts of the operation that are in other files, in words. */
const listExternalParts = ({ externalOperation, externalParameters, body }: RequestDescription): string[] => [
  ...(externalOperation === null ? [] : ['the whole operation']),
  ...(externalParameters.length === 0 ? [] : [`${externalParameters.length} parameters`]),
  ...(body && referenceOf(body.object) !== undefined ? ['the body'] : []),
];

function leadingMembersOf({ key, name, in: location, notes }: Argument): DraftObject {
  const members: DraftObject = new Map([['x-portico-in', JSON.stringify(location)]]);
  if (name !== key) members.set('x-portico-name', JSON.stringify(name.toWellFormed()));
  for (const [note, value] of notes) members.set(`x-portico-${note}`, JSON.stringify(value));
  return members;
}

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
  const [shortText, longText] = [shortenText(500), shortenText(toolLimits.descriptionCharacters - noteBytesMax)];
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

/**
 * Returns a name derived from `operationId`, else from the method and path. It ends with parts of the operation's key
 * and of the collection's id, because several operations of a caller can have the same id.
 */
export function toToolName(
  { method, path, operation }: DocumentOperation,
  { operationKey, collectionId }: Pick<OperationContext, 'operationKey' | 'collectionId'>,
): string {
  const id = textAt(operation, 'operationId')?.trim();
  const source = id ? id : `${method.toLowerCase()}${path}`;
  const sanitizedName = source.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[^A-Za-z_]+/, '_');
  const end = `_${operationKey.slice(0, 4)}${collectionId.slice(-6)}`;
  return sanitizedName.slice(0, toolLimits.nameCharacters - end.length).replace(/_$/, '') + end;
}
