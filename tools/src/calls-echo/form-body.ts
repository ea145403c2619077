import type { RequestHandler } from 'express';
import type { DocumentSchemas } from '../calls-check/document-schemas.ts';
import { memberAt, stringAt, type Value } from '../calls-check/json-text.ts';

/** A part of a multipart body; its content has one character per byte. */
export interface Part {
  readonly name: string;
  readonly isFile: boolean;
  /** In lower case; null if the part has none. */
  readonly type: string | null;
  readonly content: string;
}

/** Splits a multipart body; returns null without a boundary. */
export function readParts(contentType: string, body: Buffer): readonly Part[] | null {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const sections = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  return sections.map((section) => {
    const [head = '', ...content] = section.replace(/^\r\n/, '').split('\r\n\r\n');
    return {
      name: Buffer.from(/name="([^"]*)"/.exec(head)?.[1] ?? '', 'latin1').toString(),
      isFile: /filename/.test(head),
      type: /^content-type: *([^\r\n;]+)/im.exec(head)?.[1]?.toLowerCase() ?? null,
      content: content.join('\r\n\r\n').replace(/\r\n$/, ''),
    };
  });
}

/** Parses multipart bodies for the validator: parts of one name are a list, JSON parts are parsed, files are empty. */
export const createMultipartParser = (): RequestHandler => (request, _response, next) => {
  const chunks: Buffer[] = [];
  if (!/^multipart\//i.test(request.headers['content-type'] ?? '')) return next();
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parts = readParts(request.headers['content-type'] ?? '', Buffer.concat(chunks));
    const members = new Map<string, unknown[]>();
    for (const part of parts ?? []) members.set(part.name, [...(members.get(part.name) ?? []), valueOf(part)]);
    request.body = Object.fromEntries(
      [...members].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    );
    next(parts ? undefined : Object.assign(new Error('the multipart body has no boundary'), { status: 415 }));
  });
};

const valueOf = ({ isFile, type, content }: Part): unknown => {
  if (type !== null && /\bjson$/.test(type)) return parseIfJson(Buffer.from(content, 'latin1').toString());
  return isFile ? '' : Buffer.from(content, 'latin1').toString();
};

/**
 * Parses the fields of a form that hold objects as JSON, the default for objects in forms (OpenAPI 3.1, section
 * 4.8.15.1). A single field can be a list.
 */
export const createObjectParser =
  (schemas: DocumentSchemas, schema: Value | undefined): RequestHandler =>
  (request, _response, next) => {
    const body = request.body as Record<string, unknown> | undefined;
    const parts = schemas.conjunctsOf(schema, ['allOf', 'anyOf', 'oneOf']);
    for (const [name, value] of Object.entries(body ?? {})) {
      const declarations = schemas.declarationsOf(parts, name);
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      const isComposite = declarations.some((declaration) => holdsObjects(schemas, declaration));
      const parsedValues = values.map((item) => (isComposite && typeof item === 'string' ? parseIfJson(item) : item));
      const isList = Array.isArray(value) || declarations.some((declaration) => isOnlyList(schemas, declaration));
      if (body) body[name] = isList ? parsedValues : parsedValues[0];
    }
    next();
  };

const isOnlyList = (schemas: DocumentSchemas, schema: Value): boolean =>
  schemas.conjunctsOf(schema).some((part) => stringAt(part, 'type') === 'array');

const holdsObjects = (schemas: DocumentSchemas, schema: Value): boolean =>
  schemas
    .conjunctsOf(schema, ['allOf', 'anyOf', 'oneOf'])
    .some(
      (part) =>
        stringAt(part, 'type') === 'object' ||
        memberAt(part, 'properties') !== undefined ||
        hasObjectItems(schemas, part),
    );

const hasObjectItems = (schemas: DocumentSchemas, schema: Value): boolean => {
  const items = memberAt(schema, 'items');
  return schemas
    .conjunctsOf(items)
    .some((part) => stringAt(part, 'type') === 'object' || memberAt(part, 'properties') !== undefined);
};

const parseIfJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The validator reports the text, because it is not an object.
    return text;
  }
};
