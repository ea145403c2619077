import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { ArrivedRequest } from './echo-server.ts';
import { createMultipartParser, createObjectParser } from './form-body.ts';
import type { OperationDocument } from './operation-document.ts';
import { sendRequest } from './send-request.ts';

/** The result of a validation. `limit`: the validator cannot read the operation, so it has no opinion. */
export type Validation = { readonly kind: 'valid' } | { readonly kind: 'invalid' | 'limit'; readonly reason: string };

export interface RequestValidator {
  readonly validate: (operation: OperationDocument, request: ArrivedRequest) => Promise<Validation>;
  readonly close: () => Promise<void>;
}

/** Whether a request has the credential of a security scheme; the validator has found one in its place. */
export type HasCredential = (
  request: Pick<Request, 'headers' | 'query'>,
  scheme: string,
  declaration: Readonly<Record<string, unknown>>,
) => boolean;

/**
 * Starts a server that validates requests with express-openapi-validator, which knows nothing of the product. Without
 * `hasCredential`, credentials are ignored.
 */
export async function startRequestValidator(hasCredential: HasCredential | null = null): Promise<RequestValidator> {
  let app: Express | null = null;
  const server = createServer((request, response) => {
    if (app) app(request, response);
    else response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    validate: async (operation, request) => {
      const url = operation.translateTarget(request.target);
      if (url === null) return { kind: 'invalid', reason: `the path does not match: ${request.target}` };
      const contentType = request.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
      const document = toDocument(operation, contentType, { ...request, target: url });
      app = createApp(operation, document, contentType, hasCredential);
      const headers = request.headers.filter(([name]) => !/^(host|connection|content-length)$/.test(name));
      const body = request.body.length === 0 ? null : { base64: request.body.toString('base64') };
      const { status, text } = await sendRequest({ method: request.method, url, headers, body }, port);
      if (status === 204) return { kind: 'valid' };
      return { kind: status === 500 ? 'limit' : 'invalid', reason: `${status} ${text}` };
    },
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the document without the parts about which the validator has no opinion, or a wrong one. */
function toDocument(
  { document }: OperationDocument,
  contentType: string,
  { target, body: { length } }: ArrivedRequest,
): ParsedDocument {
  // The numbers become JavaScript numbers.
  const copy = JSON.parse(JSON.stringify(document)) as ParsedDocument;
  for (const operation of Object.values(copy.paths).flatMap((item) => Object.values(item))) {
    // It creates an empty object for one that is missing.
    operation.parameters = operation.parameters.filter(
      ({ name, style, required }) => style !== 'deepObject' || required === true || hasMembers(target, name),
    );
    const body = operation.requestBody;
    // It requires a content type even if an optional body is missing.
    if (body?.required !== true && length === 0 && contentType === '') delete operation.requestBody;
    const isParsed = /json|^multipart\/|^application\/x-www-form-urlencoded/i.test(contentType);
    // It compares XML, text and files with schemas as if they were JSON.
    if (!isParsed) for (const content of Object.values(body?.content ?? {})) delete content.schema;
  }
  return copy;
}

const hasMembers = (target: string, name: string): boolean =>
  target
    .split(/[?&]/)
    .slice(1)
    .some((pair) => decodeURIComponent(pair).startsWith(`${name}[`));

interface ParsedDocument {
  readonly components: { readonly securitySchemes: Record<string, Readonly<Record<string, unknown>>> };
  readonly paths: Record<string, Record<string, { requestBody?: ParsedBody; parameters: ParsedParameter[] }>>;
}
interface ParsedParameter {
  readonly name: string;
  readonly style?: string;
  readonly required?: boolean;
}
interface ParsedBody {
  readonly required?: boolean;
  readonly content?: Record<string, { schema?: unknown }>;
}

function createApp(
  { schemas, contentOf }: OperationDocument,
  document: ParsedDocument,
  contentType: string,
  hasCredential: HasCredential | null,
): Express {
  const app = express();
  const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/i.test(contentType);
  if (isForm) app.use(createMultipartParser());
  // As OpenAPI's defaults for forms: repeated fields are lists.
  app.set('query parser', 'extended');
  app.use(
    express.json({
      type: ({ headers }) => /^[^;]*json/i.test(headers['content-type'] ?? ''),
      strict: false,
      limit: '5mb',
    }),
  );
  app.use(express.urlencoded({ extended: true, limit: '5mb' }));
  app.use(
    express.text({
      type: ({ headers }) => !/json|^multipart|urlencoded/i.test(headers['content-type'] ?? ''),
      limit: '5mb',
    }),
  );
  app.use((request, _response, next) => {
    const pairs = (request.headers.cookie ?? '')
      .split(/; */)
      .filter(Boolean)
      .map((pair) => pair.split(/=(.*)/s));
    request.cookies = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
    next();
  });
  if (isForm) app.use(createObjectParser(schemas, contentOf(contentType)));
  app.use(
    OpenApiValidator.middleware({
      apiSpec: document as never,
      validateApiSpec: false,
      // Fields of forms are texts; in JSON, a text is not a number.
      validateRequests: { allowUnknownQueryParameters: true, coerceTypes: isForm ? 'array' : false },
      fileUploader: false,
      validateResponses: false,
      validateSecurity: hasCredential ? { handlers: createHandlers(document, hasCredential) } : false,
      operationHandlers: false,
    }),
  );
  app.use((_request, response) => void response.status(204).end());
  const handleError: ErrorRequestHandler = (
    error: { status?: number; message?: string },
    _request,
    response,
    _next,
  ) => {
    response.status(error.status ?? 500).send(error.message ?? 'an error without a message');
  };
  app.use(handleError);
  return app;
}

const createHandlers = ({ components: { securitySchemes } }: ParsedDocument, hasCredential: HasCredential) =>
  Object.fromEntries(
    Object.entries(securitySchemes).map(([scheme, declaration]) => [
      scheme,
      (request: Request) => hasCredential(request, scheme, declaration),
    ]),
  );
