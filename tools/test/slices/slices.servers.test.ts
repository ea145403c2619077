import { execFileSync } from 'node:child_process';
import { operationSlice, type Json, type JsonObject } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { factsOf, present, realOperations, type RealOperation } from './real-operations.ts';
import { sampleValues } from './sample-values.ts';
import { newAjv, WholeDocument } from './whole-schema.ts';

interface Slice {
  readonly parameters: readonly (JsonObject & { readonly name: string; readonly in: string; readonly schema?: Json })[];
  readonly request_body: (JsonObject & { readonly content_type?: string; readonly schema?: Json }) | null;
  readonly truncated: readonly string[];
  readonly curl: string | null;
}

const textOf = ({ document, at, file }: RealOperation, index: number, maxBytes: number, detail: 'request' | 'full') =>
  operationSlice(document, at, factsOf(file, index), { detail, maxBytes });

/** Every so manyth operation, and its place among all. */
function* sampled(every: number): Generator<[RealOperation, number]> {
  let index = 0;
  for (const one of realOperations()) if (index++ % every === 0) yield [one, index - 1];
}

const isCut = (truncated: readonly string[], pointer: string): boolean =>
  truncated.some((one) => pointer === one || pointer.startsWith(`${one}/`) || one.startsWith(`${pointer}/`));

describe.skipIf(!present)('a slice of each of the operations of real documents', () => {
  test('is within its budget, has valid schemas, names what is cut, and has a curl line that a shell can read', () => {
    const [ajv, lines, sizes]: [ReturnType<typeof newAjv>, string[], number[]] = [newAjv(), [], []];
    const faults: string[] = [];
    for (const [one, index] of sampled(1)) {
      const text = textOf(one, index, 8_192, 'request');
      sizes.push(Buffer.byteLength(text));
      if (Buffer.byteLength(text) > 8_192) faults.push(`${one.name}: ${Buffer.byteLength(text)} bytes`);
      const slice = JSON.parse(text) as Slice;
      if (slice.curl !== null) lines.push(slice.curl);
      else if (!slice.truncated.includes('/curl')) faults.push(`${one.name}: no curl line`);
      for (const schema of schemasIn(slice)) {
        if (ajv.validateSchema(schema as JsonObject) !== true)
          faults.push(`${one.name}: ${ajv.errorsText(ajv.errors)}`);
      }
      faults.push(...missingIn(one, slice).map((name) => `${one.name}: ${name} is missing`));
    }
    expect(faults.slice(0, 10)).toEqual([]);
    sizes.sort((a, b) => a - b);
    const [median, ninth] = [0.5, 0.9].map((part) => sizes[Math.floor(sizes.length * part)]);
    process.stderr.write(`${sizes.length} slices: median ${median} bytes, 90th percentile ${ninth}\n`);
    expect(sizes[sizes.length >> 1]).toBeLessThan(2_048);
    expect(lines.filter((line) => /[\p{Cc}]/u.test(line))).toEqual([]);
    // One shell for all, which reads and does not run them.
    execFileSync('sh', ['-n'], { input: lines.join('\n') });
  });

  test.each([1_024, 1_500, 262_144])('is within %i bytes', (maxBytes) => {
    for (const [one, index] of sampled(maxBytes > 8_192 ? 200 : 10)) {
      for (const detail of ['request', 'full'] as const) {
        const text = textOf(one, index, maxBytes, detail);
        expect(Buffer.byteLength(text), one.name).toBeLessThanOrEqual(maxBytes);
        expect(missingIn(one, JSON.parse(text) as Slice), one.name).toEqual([]);
      }
    }
  });

  test('accepts and refuses what the whole document does, where nothing was cut', () => {
    let [compared, accepted, unread, read] = [0, 0, 0, 0];
    let whole: [Json, WholeDocument] | null = null;
    const faults: string[] = [];
    for (const [one, index] of sampled(25)) {
      const slice = JSON.parse(textOf(one, index, 262_144, 'request')) as Slice;
      if (whole?.[0] !== one.document) whole = [one.document, new WholeDocument(one.document)];
      for (const [pointer, own, other] of schemaPairs(one, slice)) {
        if (isCut(slice.truncated, pointer)) continue;
        const [byWhole, bySlice] = [whole[1].validator(other), newAjv().compile(own as JsonObject)];
        if (!byWhole) {
          unread++;
          continue;
        }
        read++;
        for (const value of sampleValues(own)) {
          const verdicts = [bySlice(value), byWhole(value)];
          compared++;
          if (verdicts[0]) accepted++;
          if (verdicts[0] !== verdicts[1])
            faults.push(`${one.name} ${pointer}: ${verdicts.join(' ')} ${JSON.stringify(value)}`);
        }
      }
    }
    expect(faults.slice(0, 5)).toEqual([]);
    process.stderr.write(
      `${compared} values compared, ${accepted} of them accepted; ${unread} of ${unread + read} schemas not read\n`,
    );
    expect(accepted).toBeGreaterThan(compared / 20);
    // By the oracle: those with references that lead nowhere, and patterns of other grammars.
    expect(unread).toBeLessThan(read / 20);
  });
});

/** All schemas of a slice that stand on their own, with references that are left read as schemas that accept all. */
const schemasIn = ({ parameters, request_body }: Slice): Json[] =>
  [...parameters.map(({ schema }) => schema), request_body?.schema].filter((schema) => schema !== undefined);

/** Required parameters, and required members of the body, that are neither in the slice nor named as cut. */
function missingIn({ document, at }: RealOperation, slice: Slice): string[] {
  const { parameters, body } = whatIsRequired(document, at);
  const missing = parameters
    .filter(([place, name]) => !slice.parameters.some((one) => one.in === place && one.name === name))
    .filter(() => !isCut(slice.truncated, '/parameters/-'))
    .map(([place, name]) => `${place} ${name}`);
  const listed = JSON.stringify((slice.request_body?.schema as JsonObject | undefined)?.['required'] ?? []);
  for (const name of body) {
    const inSlice = listed.includes(JSON.stringify(name));
    if (!inSlice && !isCut(slice.truncated, '/request_body/schema')) missing.push(`body ${name}`);
  }
  return missing;
}

/** Read in another way than the product does: of the body only what its schema requires itself. */
function whatIsRequired(document: Json, at: RealOperation['at']): { parameters: [string, string][]; body: string[] } {
  const look = (value: Json | undefined): JsonObject | undefined => {
    let found = value as JsonObject | undefined;
    for (let step = 0; step < 10 && typeof found?.['$ref'] === 'string'; step++) {
      const tokens = found['$ref'].startsWith('#/') ? found['$ref'].slice(2).split('/') : [];
      if (tokens.length === 0) return undefined;
      const names = tokens.map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
      found = names.reduce<JsonObject | undefined>(
        (value, name) => value?.[name] as JsonObject | undefined,
        document as JsonObject,
      );
    }
    return found;
  };
  const all = [at.item, at.operation].flatMap((holder) => (holder['parameters'] as Json[] | undefined) ?? []).map(look);
  const last = new Map<string, JsonObject>();
  for (const one of all) {
    const [place, name] = [one?.['in'], one?.['name']];
    if (one && typeof place === 'string' && typeof name === 'string') last.set(`${place} ${name}`, one);
  }
  const required = [...last.values()].filter((one) => one['in'] === 'path' || one['required'] === true);
  const content = Object.entries((look(at.operation['requestBody'])?.['content'] as JsonObject | undefined) ?? {});
  const [, json] = content.find(([type]) => type === 'application/json') ?? [];
  const schema = look((json as JsonObject | undefined)?.['schema']);
  const names = Array.isArray(schema?.['required']) ? (schema['required'] as string[]) : [];
  return {
    parameters: required.map((one) => [one['in'] as string, one['name'] as string]),
    body: names.filter((name) => typeof name === 'string'),
  };
}

/** Each schema of a slice with the document's own. */
function schemaPairs({ at }: RealOperation, slice: Slice): [pointer: string, own: Json, whole: Json][] {
  const pairs: [string, Json, Json][] = [];
  const body = at.operation['requestBody'] as JsonObject | undefined;
  const content = body?.['content'] as JsonObject | undefined;
  const type = slice.request_body?.content_type;
  const whole = type === undefined ? undefined : (content?.[type] as JsonObject | undefined)?.['schema'];
  if (whole !== undefined && slice.request_body?.schema !== undefined) {
    pairs.push(['/request_body/schema', slice.request_body.schema, whole]);
  }
  const parameters = (at.operation['parameters'] as JsonObject[] | undefined) ?? [];
  for (const [index, one] of slice.parameters.entries()) {
    const own = parameters.findLast(({ name, in: place }) => name === one.name && place === one.in);
    if (own?.['schema'] !== undefined && one.schema !== undefined) {
      pairs.push([`/parameters/${index}/schema`, one.schema, own['schema']]);
    }
  }
  return pairs;
}
