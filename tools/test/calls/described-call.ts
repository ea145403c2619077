import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Json } from '@portico/domain';
import { parseCurl, type CurlRequest } from '../../src/calls-check/curl-line.ts';
import { stringAt, type ObjectValue, type Value } from '../../src/calls-check/json-text.ts';
import { describe, prepareCall, type CallSettings, type PreparedRequest } from '../../src/calls-check/product.ts';
import { argumentsOf } from '../../src/calls-check/view-schemas.ts';
import { root } from '../../src/service-process.ts';
import { createAjv } from '../slices/document-oracle.ts';

// Small third-party documents, next to the repository.
const folder = resolve(root, '../shared/cases');
export const hasCases = existsSync(folder);
if (!hasCases) process.stderr.write(`Skipped: there are no cases at ${folder}\n`);

/** Returns a document of a case as JSON. */
export function readCase(file: string): string {
  const text = readFileSync(join(folder, file), 'utf8');
  return file.endsWith('.json') ? text : JSON.stringify(parse(text));
}

/** All views of one operation, with numbers as JavaScript numbers. */
export interface DescribedCall {
  readonly slice: Slice;
  /** With `detail=full` and the largest `max_bytes`. */
  readonly fullSlice: Slice;
  readonly tool: Tool;
  readonly curl: CurlRequest;
  /** The JSON texts of the views, with the numbers' own texts. */
  readonly texts: { readonly slice: string; readonly tool: string };
  /** The body of the curl line. */
  readonly readCurlJson: () => Json;
  /** Returns the key of the tool's property for a parameter or a member of the body. */
  readonly keyOf: (location: string, name: string) => string;
  readonly acceptsArguments: (args: object) => boolean;
  /** Whether the tool accepts a body, as a single argument or as arguments for its members. */
  readonly acceptsBody: (body: Json) => boolean;
  readonly prepare: (args: object) => PreparedRequest;
}

interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items: Schema;
  readonly required?: readonly string[];
}

interface Slice {
  readonly url: string;
  readonly servers: readonly object[];
  readonly authentication: readonly (readonly object[])[] | null;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly request_body: { readonly content_type: string; readonly schema: Schema; readonly example?: unknown };
  readonly responses: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly accept?: string;
  readonly truncated: readonly { readonly pointer: string; readonly reason: string }[];
  readonly warnings?: readonly string[];
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Schema;
  readonly request?: { readonly method: string; readonly url: string; readonly content_type: string };
}

/** Describes an operation, such as `GET /pets`, of a document. */
export function describeCall(document: string | object, operation: string, settings: CallSettings = {}): DescribedCall {
  const documentText = typeof document === 'string' ? document : JSON.stringify(document);
  const described = describe(documentText, settings);
  const views = [...described].find(({ method, path }) => `${method} ${path}` === operation);
  if (!views) throw new Error(`The document has no operation ${operation}`);
  const tool = toJson(views.tool) as unknown as Tool;
  const accepts = createAjv().compile<unknown>(tool.input_schema);
  const bodyArgument = argumentsOf(views.tool).find((argument) => argument.in === 'body' && argument.name === '');
  return {
    slice: toJson(views.slice) as unknown as Slice,
    fullSlice: toJson(views.fullSlice) as unknown as Slice,
    tool,
    get curl() {
      return parseCurl(stringAt(views.slice, 'curl') ?? '');
    },
    texts: { slice: JSON.stringify(views.slice), tool: JSON.stringify(views.tool) },
    readCurlJson: () => JSON.parse(parseCurl(stringAt(views.slice, 'curl') ?? '').body ?? '') as Json,
    keyOf: (location, name) => {
      const argument = argumentsOf(views.tool).find(
        (candidate) => candidate.in === location && candidate.name === name,
      );
      if (!argument) throw new Error(`The tool has no argument for ${location} ${name}`);
      return argument.key;
    },
    // Without a prototype, whose members the validator would read.
    acceptsArguments: (args) => accepts(Object.assign(Object.create(null) as object, args)),
    acceptsBody: (body) => accepts(bodyArgument ? { [bodyArgument.key]: body } : body),
    prepare: (args) => {
      return prepareCall(documentText, operation, args as ObjectValue);
    },
  };
}

const toJson = (value: Value): Json => JSON.parse(JSON.stringify(value)) as Json;

export const headerOf = ({ headers }: Pick<CurlRequest, 'headers'>, name: string): string | undefined =>
  headers.find(([headerName]) => headerName.toLowerCase() === name.toLowerCase())?.[1];

/** Returns the text of a prepared body; brackets and blanks of a form are decoded. */
export const textOf = ({ body }: PreparedRequest): string =>
  body === null ? '' : 'text' in body ? body.text : Buffer.from(body.base64, 'base64').toString('latin1');

/** Builds a document with one operation and an optional rest. */
export const createDocument = (
  operation: object,
  { path = '/things', method = 'post', ...others }: DocumentParts = {},
) => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://things.example/v1' }],
  ...others,
  paths: { [path]: { [method]: { responses: { 204: { description: 'done' } }, ...operation }, ...others.pathItem } },
});

interface DocumentParts {
  readonly path?: string;
  readonly method?: string;
  readonly pathItem?: object;
  readonly [member: string]: unknown;
}
