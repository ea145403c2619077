import type { SampleRequest } from '@portico/domain';
import {
  quoteCSharp,
  quoteGo,
  quoteGoBytes,
  quoteJava,
  quoteJavaScript,
  quotePhp,
  quotePowerShell,
  quotePython,
  quoteRuby,
  type Quote,
} from './string-literals.ts';

/** The part of a library's request that is used. */
export interface LibraryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { name: string; value: string }[];
  readonly cookies: [];
  readonly queryString: [];
  readonly postData?: { mimeType: string; text: string };
}

/** Prints code that sends a request. */
type Print = (request: LibraryRequest) => string;

/** The stand-in of a request's content type, and whether its body is in base64. */
export interface BodyStandIns {
  readonly contentType: string | null;
  readonly isBase64: boolean;
}

/** How a request is printed in a language. */
export interface Language {
  /** Loads the library's printer on first use. */
  readonly load: () => Promise<Print>;
  readonly quote: Quote;
  /** Returns an expression that the library's code accepts in the place of a body's literal; by default, a literal. */
  readonly textOf?: (text: string) => string;
  /** Returns such an expression for bytes in base64. */
  readonly bytesOf: (base64: string) => string;
  /** Returns the library's expression for the bytes of a text, if `bytesOf` replaces that expression. */
  readonly textBytesOf?: (literal: string) => string;
  /** Completes the library's code, which contains only stand-ins, no value of the request. */
  readonly complete?: (code: string, standIns: BodyStandIns) => string;
  /** Returns why the language's client cannot send a request, after the name of the language; null if it can. */
  readonly findLimit?: (request: SampleRequest) => string | null;
}

const loadFetch = async (): Promise<Print> => (await import('@scalar/snippetz/plugins/js/fetch')).jsFetch.generate;
const fetchLanguage = {
  load: loadFetch,
  quote: quoteJavaScript,
  bytesOf: (base64: string) => `Uint8Array.from(atob(${quoteJavaScript(base64)}), (byte) => byte.charCodeAt(0))`,
  findLimit: ({ method, body }: SampleRequest) =>
    method === 'TRACE'
      ? 'fetch does not send TRACE'
      : method === 'GET' && body
        ? 'fetch does not send a body with GET'
        : null,
};

const requestLanguages = {
  python: {
    load: async () => (await import('@scalar/snippetz/plugins/python/python3')).pythonPython3.generate,
    quote: quotePython,
    bytesOf: (base64) => `base64.b64decode(${quotePython(base64)})`,
    textOf: (text) => `${quotePython(text)}.encode()`,
    complete: (code, { isBase64 }) => (isBase64 ? `import base64\n${code}` : code),
  },
  javascript: {
    ...fetchLanguage,
    complete: (code) => `const response = await ${code};\nconsole.log(await response.text());`,
  },
  typescript: {
    ...fetchLanguage,
    complete: (code) => `const response: Response = await ${code};\nconsole.log(await response.text());`,
  },
  go: {
    load: async () => (await import('@scalar/snippetz/plugins/go/native')).goNative.generate,
    quote: quoteGo,
    bytesOf: (base64) => quoteGoBytes(Buffer.from(base64, 'base64')),
  },
  java: {
    load: async () => (await import('@scalar/snippetz/plugins/java/nethttp')).javaNethttp.generate,
    quote: quoteJava,
    bytesOf: (base64) => `java.util.Base64.getDecoder().decode(${quoteJava(base64)})`,
    textBytesOf: (literal) => `${literal}.getBytes(java.nio.charset.StandardCharsets.UTF_8)`,
    complete: (code) => `import java.net.http.*;\n\n${code}`,
  },
  csharp: {
    load: async () => (await import('@scalar/snippetz/plugins/csharp/httpclient')).csharpHttpclient.generate,
    quote: quoteCSharp,
    bytesOf: (base64) => `Convert.FromBase64String(${quoteCSharp(base64)})`,
    textBytesOf: (literal) => `System.Text.Encoding.UTF8.GetBytes(${literal})`,
    complete: (code, { contentType }) =>
      [
        code.replace(
          'content.Headers.ContentType = new MediaTypeHeaderValue("application/octet-stream");',
          contentType === null ? '' : `content.Headers.TryAddWithoutValidation("Content-Type", "${contentType}");`,
        ),
        'Console.WriteLine(await response.Content.ReadAsStringAsync());',
      ].join('\n'),
    // These describe a content, and HttpClient drops them from a request.
    findLimit: ({ headers }) =>
      headers.some(([name]) => /^(content-(?!type$).*|allow|expires|last-modified)$/i.test(name))
        ? 'HttpClient has other places for headers that describe the body'
        : null,
  },
  php: {
    load: async () => (await import('@scalar/snippetz/plugins/php/curl')).phpCurl.generate,
    quote: quotePhp,
    bytesOf: (base64) => `base64_decode(${quotePhp(base64)})`,
    // With the method alone, libcurl would wait for a body that never comes.
    complete: (code) => `<?php\n\n${code.replace("CURLOPT_CUSTOMREQUEST, 'HEAD'", 'CURLOPT_NOBODY, true')}`,
    findLimit: ({ headers }) =>
      headers.some(([, value]) => value === '') ? 'libcurl drops a header that is empty' : null,
  },
  ruby: {
    load: async () => (await import('@scalar/snippetz/plugins/ruby/native')).rubyNative.generate,
    quote: quoteRuby,
    bytesOf: (base64) => `${quoteRuby(base64)}.unpack1("m")`,
  },
  powershell: {
    load: async () => (await import('@scalar/snippetz/plugins/powershell/webrequest')).powershellWebrequest.generate,
    quote: quotePowerShell,
    bytesOf: (base64) => `[System.Convert]::FromBase64String(${quotePowerShell(base64)})`,
    textBytesOf: (literal) => `[System.Text.Encoding]::UTF8.GetBytes(${literal})`,
  },
} as const satisfies Record<string, Language>;

export const languages: Readonly<Record<keyof typeof requestLanguages, Language>> = requestLanguages;

/** All names of samples. `curl` is the command line of the prepared request itself. */
export const sampleNames = [
  'curl',
  'python',
  'javascript',
  'typescript',
  'go',
  'java',
  'csharp',
  'php',
  'ruby',
  'powershell',
] as const satisfies readonly ('curl' | keyof typeof requestLanguages)[];

export type SampleName = (typeof sampleNames)[number];
