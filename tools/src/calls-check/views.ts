import type { OperationFacts } from './document-facts.ts';
import type { DocumentSchemas } from './document-schemas.ts';
import { objectAt, stringAt, type ObjectValue, type Value } from './json-text.ts';
import { parseCurl, type CurlRequest } from './curl-line.ts';
import type { DescribedOperation } from './product.ts';

/** A view that differs from the document, and both values. */
export interface Difference {
  readonly view: string;
  readonly expected: string;
  readonly actual: string;
}

/** An operation of a document, with everything that its views are compared with. */
export interface Subject {
  readonly schemas: DocumentSchemas;
  /** The texts of all numbers in the document. */
  readonly numbers: ReadonlySet<string>;
  readonly facts: OperationFacts;
}

export type Check = (subject: Subject, views: Views) => readonly Difference[];

export type Views = Omit<DescribedOperation, 'path' | 'method'>;

export const slicesOf = ({ slice, fullSlice }: Views): readonly (readonly [view: string, slice: ObjectValue])[] => [
  ['slice', slice],
  ['full slice', fullSlice],
];

/** A request that the product would send. */
export interface ViewedRequest extends Omit<CurlRequest, 'fields'> {
  readonly view: 'curl' | 'sample';
  readonly fields: CurlRequest['fields'];
}

const requestCache = new WeakMap<ObjectValue, readonly ViewedRequest[]>();

/** Returns the request of the `curl` line and the prepared one. A line that cannot be read has the method `invalid`. */
export function requestsOf({ slice, sampleRequest }: Views): readonly ViewedRequest[] {
  const cachedRequests = requestCache.get(slice);
  if (cachedRequests) return cachedRequests;
  const line = stringAt(slice, 'curl');
  const requests: ViewedRequest[] = line === null ? [] : [{ view: 'curl', ...readCurl(line) }];
  if (sampleRequest) {
    const { method, url, headers, body } = sampleRequest;
    const text = body && ('text' in body ? body.text : Buffer.from(body.base64, 'base64').toString('latin1'));
    requests.push({ view: 'sample', method, url, headers, body: text, fields: [] });
  }
  requestCache.set(slice, requests);
  return requests;
}

const readCurl = (line: string): CurlRequest => {
  try {
    return parseCurl(line);
  } catch (error) {
    return { method: `invalid: ${String(error)}`, url: line, headers: [], body: null, fields: [] };
  }
};

export const headersIn = (headers: CurlRequest['headers'], name: string): readonly string[] =>
  headers.filter(([headerName]) => headerName.toLowerCase() === name).map(([, value]) => value);

/** Compares the `Accept` of all views, ignoring order and parameters. */
export function checkAccept({ facts }: { readonly facts: OperationFacts }, views: Views): readonly Difference[] {
  const values: readonly (readonly [string, Value | undefined])[] = [
    ...slicesOf(views).map(([view, slice]) => [view, slice['accept']] as const),
    ['tool', objectAt(views.tool, 'request')?.['accept']],
    ...requestsOf(views).map(({ view, headers }) => [view, headersIn(headers, 'accept').join() || null] as const),
  ];
  // A few documents have other names where media types belong.
  const expected = typesOf(facts.accept?.filter((type) => type.includes('/')).join() ?? '');
  return values.flatMap(([view, value]) => {
    const actual = typesOf(typeof value === 'string' ? value : '');
    const isRight = expected === '' ? /^$|json|\*/i.test(actual) : actual === expected;
    return isRight || declaresAccept(facts) ? [] : [{ view, expected: expected || 'none', actual: actual || 'none' }];
  });
}

const typesOf = (text: string): string =>
  text
    .split(',')
    .map((type) => (type.split(';')[0] ?? '').trim().toLowerCase())
    .sort()
    .join();

const declaresAccept = ({ parameters }: OperationFacts): boolean =>
  parameters.some((parameter) => parameter.in === 'header' && /^accept$/i.test(parameter.name));
