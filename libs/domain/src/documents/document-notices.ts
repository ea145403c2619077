import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { operationMethods } from './document-operations.ts';
import { memberOf } from './document-value.ts';
import type { DocumentPath, SchemaViolation } from './document.ts';

/**
 * Returns notices about an acceptable document, although it may conform to the official schema: about parts
 * that are in other files, and about a base URL that no request can be sent to. `baseUrl` is the result of `baseUrlOf`,
 * `references` that of `listExternalReferences`.
 */
export const listNotices = (
  document: Json,
  baseUrl: string,
  references: readonly ExternalReference[],
): readonly SchemaViolation[] => {
  const baseUrlProblem = findBaseUrlProblem(document, baseUrl);
  const remedy = placeholder.test(baseUrl) ? 'a value for it or a base URL' : 'a base URL';
  return [
    ...(baseUrlProblem === null
      ? []
      : [{ path: ['servers'], message: `${baseUrlProblem}; the collection needs ${remedy} of its own` }]),
    ...(references.length > 0 ? [{ path: references[0]?.path ?? [], message: describeReferences(references) }] : []),
  ];
};

const placeholder = /\{([^{}]*)\}/;

/** Returns why requests cannot be sent to a base URL; null if they can. */
function findBaseUrlProblem(document: Json, baseUrl: string): string | null {
  const servers = memberOf(document, 'servers');
  const server = isJsonArray(servers) ? servers[0] : undefined;
  const url = memberOf(server, 'url');
  if (typeof url !== 'string' || url.trim() === '') return 'the document names no server, so requests have no address';
  const variable = placeholder.exec(baseUrl)?.[1];
  if (variable !== undefined)
    return `the address of the first server has a variable without a default, ${quote(variable)}`;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(baseUrl)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return baseUrl.startsWith('//')
      ? `the address of the first server, ${quote(baseUrl)}, has no scheme such as https`
      : `the address of the first server, ${quote(baseUrl)}, is relative, and the document does not say to which host`;
  if (scheme !== 'http' && scheme !== 'https')
    return `the address of the first server, ${quote(baseUrl)}, is not an HTTP address`;
  return /^https?:\/\/[^/?#\s]+([/?#]\S*)?$/i.test(baseUrl)
    ? null
    : `the address of the first server, ${quote(baseUrl)}, has no valid host`;
}

export interface ExternalReference {
  readonly path: DocumentPath;
  readonly reference: string;
}

/**
 * Returns the references that lead out of a document, in its order: a `$ref` with anything before its fragment, unless
 * that is the `$id` of a schema in the document (JSON Schema 2020-12, section 8.2.1). Members of that name whose value
 * is not a string are data.
 */
export const listExternalReferences = (document: Json): readonly ExternalReference[] => {
  const references: ExternalReference[] = [];
  const ids = new Set<string>();
  visit(document, [], (name, value, path) => {
    if (name === '$id' || name === '$self') ids.add(value);
    if (name === '$ref' && !value.startsWith('#')) references.push({ path: [...path], reference: value });
  });
  return references.filter(({ reference }) => !ids.has(reference.replace(/#.*$/s, '')));
};

type Visitor = (name: string, value: string, path: DocumentPath) => void;

/** Calls `act` with each member that is a string. The path changes between calls. */
function visit(value: Json, path: (string | number)[], act: Visitor): void {
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) visitAt(index, item, path, act);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name] ?? null;
      if (typeof member === 'string') act(name, member, path);
      else visitAt(name, member, path, act);
    }
  }
}

function visitAt(token: string | number, value: Json, path: (string | number)[], act: Visitor): void {
  if (typeof value !== 'object' || value === null) return;
  path.push(token);
  visit(value, path, act);
  path.pop();
}

/** The maximum number of files and operations that are named. */
const examplesMax = 3;

function describeReferences(references: readonly ExternalReference[]): string {
  const targets = [...new Set(references.map(({ reference }) => reference.replace(/#.*$/s, '')))];
  const operations = references.flatMap(({ path }) => toOperationName(path) ?? []);
  const count = references.length.toLocaleString('en');
  const lead =
    references.length === 1 ? '1 reference leads out of the document' : `${count} references lead out of the document`;
  const missing =
    operations.length === 0
      ? ''
      : `; ${operations.length === 1 ? '1 operation or path has' : `${operations.length.toLocaleString('en')} operations or paths have`} no description here: ${listExamples(operations)}`;
  return `${lead} and ${references.length === 1 ? 'is' : 'are'} not followed: ${listExamples(targets.map(quote))}${missing}`;
}

const listExamples = (examples: readonly string[]): string =>
  [...examples.slice(0, examplesMax), ...(examples.length > examplesMax ? ['…'] : [])].join(', ');

/** Returns the name of the operation, or of the path, that the reference at this position replaces; undefined if none. */
function toOperationName([root, path, method, ...rest]: DocumentPath): string | undefined {
  if (root !== 'paths' || path === undefined || rest.length > 0) return undefined;
  if (method === undefined) return shorten(String(path));
  const isOperation = typeof method === 'string' && operationMethods.includes(method);
  return isOperation ? shorten(`${method.toUpperCase()} ${path}`) : undefined;
}

/** The maximum length of a value in a message, in UTF-16 units. */
const valueMax = 80;
const shorten = (text: string): string => (text.length > valueMax ? `${text.slice(0, valueMax)}…` : text);
const quote = (text: string): string => `'${shorten(text)}'`;
