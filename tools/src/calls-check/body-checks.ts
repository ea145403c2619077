import type { DocumentSchemas } from './document-schemas.ts';
import {
  isObject,
  listAt,
  memberAt,
  objectAt,
  parseJsonText,
  stringAt,
  textsAt,
  type ObjectValue,
  type Value,
} from './json-text.ts';
import { headersIn, requestsOf, slicesOf, type Check, type Difference, type ViewedRequest } from './views.ts';
import {
  bodySchemaOf,
  Cuts,
  mentionsCuts,
  missingPathsIn,
  pointerOf,
  visitSchemas,
  type Path,
} from './view-schemas.ts';

/** Compares the required members of the first two levels of the body. */
export const checkMembers: Check = ({ facts: { body } }, views) => {
  if (!body) return [];
  const format = (paths: readonly (readonly string[])[]): string => paths.map((path) => path.join('.')).join(', ');
  const difference = (view: string, paths: readonly (readonly string[])[]): readonly Difference[] =>
    paths.length === 0 ? [] : [{ view, expected: `required: ${format(paths)}`, actual: 'missing' }];
  const inSlices = slicesOf(views).flatMap(([view, slice]) => {
    const cuts = new Cuts(slice);
    const missing = missingPathsIn(memberAt(slice['request_body'], 'schema'), body.requiredPaths, false);
    return difference(
      view,
      missing.filter(
        (path) => !cuts.covers(`/request_body/schema${pointerOf(path.flatMap((name) => ['properties', name]))}`),
      ),
    );
  });
  const toolSchema = bodySchemaOf(views.tool);
  // A tool may make the members of an optional body optional.
  const toolPaths = body.required ? body.requiredPaths : [];
  const inTool = mentionsCuts(views.tool) ? [] : difference('tool', missingPathsIn(toolSchema, toolPaths, true));
  const inRequests = requestsOf(views).flatMap((request) =>
    difference(request.view, body.required ? missingIn(request, body.requiredPaths) : []),
  );
  return [...inSlices, ...inTool, ...inRequests];
};

/** Returns the paths that a JSON body lacks. */
function missingIn({ body, method, headers }: ViewedRequest, paths: readonly (readonly string[])[]) {
  if (method === 'HEAD' || !headersIn(headers, 'content-type').some((type) => /\bjson\b/i.test(type))) return [];
  const value = readJson(body ?? '');
  if (Array.isArray(value) || value === undefined) return value === undefined ? [['(not JSON)']] : [];
  return paths.filter(([name = '', innerName]) => {
    const member = memberAt(value, name);
    return innerName === undefined ? member === undefined : isObject(member) && !Object.hasOwn(member, innerName);
  });
}

const readJson = (text: string): Value | undefined => {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
};

/** Compares the media type of the body, and whether there is a body. */
export const checkBody: Check = ({ facts: { body, method } }, views) => {
  const types: readonly (readonly [string, string | null, boolean])[] = [
    ...slicesOf(views).map(([view, slice]) => {
      const type = stringAt(slice['request_body'], 'content_type');
      return [view, type, new Cuts(slice).covers('/request_body/content_type')] as const;
    }),
    ['tool', stringAt(objectAt(views.tool, 'request'), 'content_type'), false],
    ...requestsOf(views).map(
      (request) => [request.view, sentTypeOf(request), method === 'HEAD' || !body?.required] as const,
    ),
  ];
  const hasType = body !== null && (body.mediaType !== null || body.schema !== undefined);
  return types
    .filter(([, type, mayBeMissing]) => {
      if (type === null) return hasType && !mayBeMissing;
      return !hasType || type.includes('*') || (body.mediaType !== null && !isSameType(type, body.mediaType));
    })
    .map(([view, type]) => ({
      view,
      expected: hasType ? (body.mediaType ?? 'a type without *') : 'no body',
      actual: type ?? 'none',
    }));
};

/** A prepared multipart body adds its boundary. */
const isSameType = (actual: string, expected: string): boolean =>
  actual.toLowerCase() === expected.toLowerCase() ||
  actual.toLowerCase().startsWith(`${expected.toLowerCase()}; boundary=`);

/** Without a body, the header is a parameter of the document. */
const sentTypeOf = ({ headers, fields, body }: ViewedRequest): string | null =>
  (body === null ? null : headersIn(headers, 'content-type')[0]) ?? (fields.length > 0 ? 'multipart/form-data' : null);

/** Finds read-only members that the body of a request offers or requires, at any depth. */
export const checkReadOnly: Check = ({ schemas, facts: { body } }, views) => {
  if (!body) return [];
  return [
    ...slicesOf(views).map(([view, slice]) => [view, memberAt(slice['request_body'], 'schema')] as const),
    ['tool', bodySchemaOf(views.tool)] as const,
  ].flatMap(([view, schema]) => {
    const names = findReadOnly(schemas, body.schema, schema);
    return names.length === 0 ? [] : [{ view, expected: 'no read-only members', actual: names.join(', ') }];
  });
};

function findReadOnly(
  schemas: DocumentSchemas,
  documentSchema: Value | undefined,
  viewSchema: Value | undefined,
): string[] {
  const names = new Set<string>();
  visitSchemas(viewSchema, (schema, path) => {
    const offeredNames = Object.keys(objectAt(schema, 'properties') ?? {});
    const containers = schemasAt(schemas, documentSchema, path);
    for (const name of [...offeredNames, ...textsAt(schema, 'required')]) {
      const declarations = schemas.declarationsOf(containers, name);
      const isReadOnly =
        declarations.length > 0 && declarations.every((declaration) => schemas.isReadOnly(declaration));
      if (isReadOnly) names.add([...path.map((step) => step ?? '*'), name].join('.'));
    }
    if (memberAt(schema, 'readOnly') === true) names.add(`${path.map((step) => step ?? '*').join('.')} (readOnly)`);
  });
  return [...names];
}

/** Returns all schemas of the document that describe the value at a path, in any alternative. */
function schemasAt(schemas: DocumentSchemas, start: Value | undefined, path: Path): readonly ObjectValue[] {
  const expand = (values: readonly (Value | undefined)[]): readonly ObjectValue[] => [
    ...new Set(values.flatMap((value) => schemas.conjunctsOf(value, ['allOf', 'anyOf', 'oneOf']))),
  ];
  return path.reduce<readonly ObjectValue[]>(
    (containers, step) =>
      expand(
        containers.flatMap((container): (Value | undefined)[] => {
          if (step === null) return [memberAt(container, 'items'), ...listAt(container, 'prefixItems')];
          if (step === undefined) return [memberAt(container, 'additionalProperties')];
          return [memberAt(memberAt(container, 'properties'), step)];
        }),
      ),
    expand([start]),
  );
}
