import { toSampleRequest, type PreparedRequest, type SampleRequest } from '@portico/domain';
import { languages, type Language, type SampleName } from './languages.ts';

/** Code that sends a prepared request, by the name of its language, and why some of it is missing. */
export interface RequestSamples {
  readonly samples: Partial<Record<SampleName, string>>;
  readonly warnings: readonly string[];
}

/**
 * The maximum size of a request that is printed. A larger one is no sample to read, would delay other requests, and may
 * not compile: Java's longest literal has 65,535 bytes, in which a character takes up to twice as many as in UTF-8.
 */
const requestBytesMax = 32_767;

/** Prints code that sends a prepared request, with placeholders for its credentials. */
export async function printSamples(prepared: PreparedRequest, names: readonly SampleName[]): Promise<RequestSamples> {
  if (names.length === 0) return { samples: {}, warnings: [] };
  const request = toSampleRequest(prepared);
  const samples: Partial<Record<SampleName, string>> = {};
  if (request === null || prepared.curl === null)
    return { samples, warnings: ['There are no samples, because the URL is not an HTTP URL.'] };
  if (names.includes('curl')) samples.curl = prepared.curl;
  if (bytesOf(request) > requestBytesMax)
    return {
      samples,
      warnings: [`There are no samples except curl, because the request has more than ${requestBytesMax} bytes.`],
    };
  const warnings: string[] = [];
  if (request.headers.some(([, value]) => /[^\x20-\x7e]/.test(value)))
    warnings.push('Not every language of the samples sends characters beyond ASCII in a header in the same encoding.');
  for (const name of names) {
    if (name === 'curl') continue;
    const language = languages[name];
    const limit = language.findLimit?.(request) ?? null;
    if (limit === null) samples[name] = await printSample(language, request);
    else warnings.push(`The sample in ${name} is missing, because ${limit}.`);
  }
  return { samples, warnings };
}

const bytesOf = ({ url, headers, body }: SampleRequest): number =>
  [url, ...headers.flat(), ...Object.values<string>(body ?? {})].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );

/** Matches a string literal of the library's code, which contains nothing that needs an escape. */
const literals = /b?(["'])((?:(?!\1)[^\\\n])*)\1/g;
const standIns = /stand-in-(\d+)(?:\.invalid)?/g;

/**
 * Prints a request in a language. The library prints the code around the values, and this function the values: the
 * library's own literals run expressions in values (Ruby, PHP), or change values (Python, JSON with long numbers). So it
 * gets a stand-in for each value, and no character of a document or a caller.
 */
async function printSample(language: Language, request: SampleRequest): Promise<string> {
  const values: string[] = [];
  const createStandIn = (value: string): string => `stand-in-${values.push(value) - 1}`;
  const [, protocol = '', host = '', target = ''] = /^(https?):\/\/([^/?#]*)\/?([^#]*)/i.exec(request.url) ?? [];
  const url = `${protocol.toLowerCase()}://${createStandIn(host)}.invalid/${createStandIn(target)}`;
  const headers = request.headers.map(([name, value]) => ({
    name: isContentType(name) ? 'Content-Type' : createStandIn(name),
    value: createStandIn(value),
  }));
  const body = request.body && createStandIn('text' in request.body ? request.body.text : request.body.base64);
  const print = await language.load();
  const printed = print({
    method: request.method,
    url,
    headers,
    cookies: [],
    queryString: [],
    // The library sends a text of this type as it is, and prefers the type among the headers.
    ...(body === null ? {} : { postData: { mimeType: 'application/octet-stream', text: body } }),
  });
  const contentType = headers.find(({ name }) => isContentType(name))?.value ?? null;
  const isBase64 = request.body !== null && 'base64' in request.body;
  const code = language.complete?.(printed, { contentType, isBase64 }) ?? printed;
  const printBody = isBase64 ? language.bytesOf : (language.textOf ?? language.quote);
  return fillIn(isBase64 ? removeTextBytes(language, code, body ?? '') : code, values, (content, text) =>
    content === body ? printBody(text) : language.quote(text),
  );
}

const isContentType = (name: string): boolean => name.toLowerCase() === 'content-type';

/** Leaves only the literal of a body that the library converts to bytes. */
function removeTextBytes({ textBytesOf }: Language, code: string, body: string): string {
  if (!textBytesOf) return code;
  const literal = [`"${body}"`, `'${body}'`].find((candidate) => code.includes(textBytesOf(candidate)));
  if (literal === undefined) throw new Error('The library prints the bytes of a text differently than expected');
  return code.replace(textBytesOf(literal), () => literal);
}

/** Prints the values in the places of their stand-ins. Throws if one is missing: the request would be a different one. */
function fillIn(code: string, values: readonly string[], print: (content: string, text: string) => string): string {
  const unprinted = new Set(values.keys());
  const text = code.replace(literals, (literal: string, _: string, content: string) => {
    const filledIn = content.replace(standIns, (_standIn, digits: string) => {
      unprinted.delete(Number(digits));
      return values[Number(digits)] ?? '';
    });
    return content.search(standIns) === -1 ? literal : print(content, filledIn);
  });
  if (unprinted.size > 0) throw new Error(`The library's code lacks ${unprinted.size} values of the request`);
  return text;
}
