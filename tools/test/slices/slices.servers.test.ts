import { execFileSync } from 'node:child_process';
import {
  buildOperationDocument,
  buildOperationSlice,
  defaultCallSettings,
  sourceOf,
  type Json,
  type JsonObject,
} from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { contextOf, hasRealDocuments, readRealOperations, type RealOperation } from './real-operations.ts';
import { sampleValues } from './sample-values.ts';
import { createAjv, DocumentOracle } from './document-oracle.ts';

interface Slice {
  readonly parameters: readonly (JsonObject & { readonly name: string; readonly in: string; readonly schema?: Json })[];
  readonly request_body: (JsonObject & { readonly content_type?: string; readonly schema?: Json }) | null;
  readonly truncated: readonly { readonly pointer: string; readonly reason: string }[];
  readonly curl: string | null;
}

const sliceOf = (
  { document, operation, file }: RealOperation,
  index: number,
  maxBytes: number,
  detail: 'request' | 'full',
) => buildOperationSlice(sourceOf(document), operation, contextOf(file, index), { detail, maxBytes });

/** Yields every `step`th operation with its index. */
function* sampleOperations(step: number): Generator<[RealOperation, number]> {
  let index = 0;
  for (const operation of readRealOperations()) if (index++ % step === 0) yield [operation, index - 1];
}

const isTruncated = (truncated: Slice['truncated'], pointer: string): boolean =>
  truncated.some(
    ({ pointer: entry }) => pointer === entry || pointer.startsWith(`${entry}/`) || entry.startsWith(`${pointer}/`),
  );

describe.skipIf(!hasRealDocuments)('a slice of every operation of the real documents', () => {
  test('is within its budget, has valid schemas, lists the parts that are cut, and has a curl line that a shell can parse', () => {
    const [ajv, curlLines, sizes]: [ReturnType<typeof createAjv>, string[], number[]] = [createAjv(), [], []];
    const faults: string[] = [];
    for (const [operation, index] of sampleOperations(1)) {
      const text = sliceOf(operation, index, 8_192, 'request');
      sizes.push(Buffer.byteLength(text));
      if (Buffer.byteLength(text) > 8_192) faults.push(`${operation.name}: ${Buffer.byteLength(text)} bytes`);
      const slice = JSON.parse(text) as Slice;
      if (slice.curl !== null) curlLines.push(slice.curl);
      else if (!isTruncated(slice.truncated, '/curl')) faults.push(`${operation.name}: no curl line`);
      for (const schema of schemasIn(slice)) {
        if (ajv.validateSchema(schema as JsonObject) !== true)
          faults.push(`${operation.name}: ${ajv.errorsText(ajv.errors)}`);
      }
      faults.push(...findMissingParts(operation, slice).map((name) => `${operation.name}: ${name} is missing`));
    }
    expect(faults.slice(0, 10)).toEqual([]);
    sizes.sort((a, b) => a - b);
    const [median, percentile90] = [0.5, 0.9].map((quantile) => sizes[Math.floor(sizes.length * quantile)]);
    process.stderr.write(`${sizes.length} slices: median ${median} bytes, 90th percentile ${percentile90}\n`);
    expect(sizes[sizes.length >> 1]).toBeLessThan(2_048);
    expect(curlLines.filter((line) => /[\p{Cc}]/u.test(line))).toEqual([]);
    // One shell parses all lines, and runs none of them.
    execFileSync('sh', ['-n'], { input: curlLines.join('\n') });
  });

  test.each([1_024, 1_500, 262_144])('is within %i bytes', (maxBytes) => {
    for (const [operation, index] of sampleOperations(maxBytes > 8_192 ? 200 : 10)) {
      for (const detail of ['request', 'full'] as const) {
        const text = sliceOf(operation, index, maxBytes, detail);
        expect(Buffer.byteLength(text), operation.name).toBeLessThanOrEqual(maxBytes);
        expect(findMissingParts(operation, JSON.parse(text) as Slice), operation.name).toEqual([]);
      }
    }
  });

  test('accepts and rejects the same values as the whole document, if nothing was cut', () => {
    let [comparedCount, acceptedCount, uncompiledCount, compiledCount] = [0, 0, 0, 0];
    let oracle: [Json, DocumentOracle] | null = null;
    const faults: string[] = [];
    for (const [operation, index] of sampleOperations(25)) {
      const slice = JSON.parse(sliceOf(operation, index, 262_144, 'request')) as Slice;
      if (oracle?.[0] !== operation.document) oracle = [operation.document, new DocumentOracle(operation.document)];
      // A request has no read-only members, and a discriminator's values are stated: the slice accepts fewer values.
      if (
        /"(?:readOnly|discriminator)"/.test(
          buildOperationDocument(operation.document, operation.operation, defaultCallSettings),
        )
      )
        continue;
      for (const [pointer, sliceSchema, documentSchema] of pairSchemas(operation, slice)) {
        if (isTruncated(slice.truncated, pointer)) continue;
        const [documentValidator, sliceValidator] = [
          oracle[1].compileValidator(documentSchema),
          createAjv().compile(sliceSchema as JsonObject),
        ];
        if (!documentValidator) {
          uncompiledCount++;
          continue;
        }
        compiledCount++;
        for (const value of sampleValues(sliceSchema)) {
          const results = [sliceValidator(value), documentValidator(value)];
          comparedCount++;
          if (results[0]) acceptedCount++;
          if (results[0] !== results[1])
            faults.push(`${operation.name} ${pointer}: ${results.join(' ')} ${JSON.stringify(value)}`);
        }
      }
    }
    expect(faults.slice(0, 5)).toEqual([]);
    process.stderr.write(
      `${comparedCount} values compared, ${acceptedCount} of them accepted; ${uncompiledCount} of ${uncompiledCount + compiledCount} schemas not compiled\n`,
    );
    expect(acceptedCount).toBeGreaterThan(comparedCount / 20);
    // The oracle cannot compile schemas with broken references, or with patterns in a different grammar.
    expect(uncompiledCount).toBeLessThan(compiledCount / 20);
  });
});

/** Returns the schemas of a slice. Each is complete. References that remain count as schemas that accept everything. */
const schemasIn = ({ parameters, request_body }: Slice): Json[] =>
  [...parameters.map(({ schema }) => schema), request_body?.schema].filter((schema) => schema !== undefined);

/** Returns the required parameters and members of the body that are neither in the slice nor listed as cut. */
function findMissingParts({ document, operation }: RealOperation, slice: Slice): string[] {
  const { parameters, body } = requiredPartsOf(document, operation);
  const missingParts = parameters
    .filter(
      ([location, name]) => !slice.parameters.some((parameter) => parameter.in === location && parameter.name === name),
    )
    .filter(() => !isTruncated(slice.truncated, '/parameters/-'))
    .map(([location, name]) => `${location} ${name}`);
  const requiredText = JSON.stringify((slice.request_body?.schema as JsonObject | undefined)?.['required'] ?? []);
  for (const name of body) {
    const isInSlice = requiredText.includes(JSON.stringify(name));
    if (!isInSlice && !isTruncated(slice.truncated, '/request_body/schema')) missingParts.push(`body ${name}`);
  }
  return missingParts;
}

/**
 * Finds the required parts in a different way than the product does. For the body, it returns only the members that the
 * top-level schema requires.
 */
function requiredPartsOf(
  document: Json,
  operation: RealOperation['operation'],
): { parameters: [string, string][]; body: string[] } {
  const dereference = (value: Json | undefined): JsonObject | undefined => {
    let target = value as JsonObject | undefined;
    for (let step = 0; step < 10 && typeof target?.['$ref'] === 'string'; step++) {
      const tokens = target['$ref'].startsWith('#/') ? target['$ref'].slice(2).split('/') : [];
      if (tokens.length === 0) return undefined;
      const names = tokens.map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
      target = names.reduce<JsonObject | undefined>(
        (value, name) => value?.[name] as JsonObject | undefined,
        document as JsonObject,
      );
    }
    return target;
  };
  const parameters = [operation.pathItem, operation.operation]
    .flatMap((owner) => (owner['parameters'] as Json[] | undefined) ?? [])
    .map(dereference);
  const byLocationAndName = new Map<string, JsonObject>();
  for (const parameter of parameters) {
    const [location, name] = [parameter?.['in'], parameter?.['name']];
    if (parameter && typeof location === 'string' && typeof name === 'string')
      byLocationAndName.set(`${location} ${name}`, parameter);
  }
  const required = [...byLocationAndName.values()].filter(
    (parameter) => parameter['in'] === 'path' || parameter['required'] === true,
  );
  const content = Object.entries(
    (dereference(operation.operation['requestBody'])?.['content'] as JsonObject | undefined) ?? {},
  );
  const [, json] = content.find(([type]) => type === 'application/json') ?? [];
  const schema = dereference((json as JsonObject | undefined)?.['schema']);
  const partsOf = (value: JsonObject | undefined): JsonObject[] =>
    value === undefined
      ? []
      : [value, ...((value['allOf'] as Json[] | undefined) ?? []).flatMap((part) => partsOf(dereference(part)))];
  const names = Array.isArray(schema?.['required']) ? (schema['required'] as string[]) : [];
  return {
    parameters: required.map((parameter) => [parameter['in'] as string, parameter['name'] as string]),
    body: names.filter((name) => {
      const declarations = partsOf(schema).map((part) => (part['properties'] as JsonObject | undefined)?.[name]);
      return !declarations.flatMap((value) => partsOf(dereference(value))).some((part) => part['readOnly'] === true);
    }),
  };
}

/** Pairs each schema of a slice with the document's schema. */
function pairSchemas(
  { operation }: RealOperation,
  slice: Slice,
): [pointer: string, sliceSchema: Json, documentSchema: Json][] {
  const pairs: [string, Json, Json][] = [];
  const body = operation.operation['requestBody'] as JsonObject | undefined;
  const content = body?.['content'] as JsonObject | undefined;
  const type = slice.request_body?.content_type;
  const documentSchema = type === undefined ? undefined : (content?.[type] as JsonObject | undefined)?.['schema'];
  if (documentSchema !== undefined && slice.request_body?.schema !== undefined) {
    pairs.push(['/request_body/schema', slice.request_body.schema, documentSchema]);
  }
  const parameters = (operation.operation['parameters'] as JsonObject[] | undefined) ?? [];
  for (const [index, sliceParameter] of slice.parameters.entries()) {
    const parameter = parameters.findLast(
      ({ name, in: location }) => name === sliceParameter.name && location === sliceParameter.in,
    );
    if (parameter?.['schema'] !== undefined && sliceParameter.schema !== undefined) {
      pairs.push([`/parameters/${index}/schema`, sliceParameter.schema, parameter['schema']]);
    }
  }
  return pairs;
}
