import type { DocumentSchemas } from '../calls-check/document-schemas.ts';
import { objectAt, parseJsonText, type ObjectValue } from '../calls-check/json-text.ts';
import { RejectedArguments, type PrepareCall, type PreparedRequest } from '../calls-check/product.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { explainRejection } from './explain-rejection.ts';
import { compareRequests, runCurl } from './compare-curl.ts';
import type { ArrivedRequest, EchoServer } from './echo-server.ts';
import { generateArguments } from './generate-arguments.ts';
import { extractOperation } from './operation-document.ts';
import type { RequestValidator } from './request-validator.ts';
import { sendRequest } from './send-request.ts';

/** An operation of a document to call. */
export interface CalledOperation {
  readonly documentText: string;
  readonly schemas: DocumentSchemas;
  readonly method: string;
  readonly path: string;
  readonly tool: ObjectValue;
}

export interface EchoResult {
  /** `limit`: the validator cannot read the operation. `unprepared`: no arguments, or no request for them. */
  readonly outcome: 'valid' | 'invalid' | 'limit' | 'unprepared';
  readonly reason: string;
  readonly args: object;
  /** The errors of arguments that the product rejected before. */
  readonly rejections: readonly string[];
  /** The differences of the curl line; null if it was not run. */
  readonly curlDifferences: readonly string[] | null;
}

export interface EchoTools {
  readonly prepare: PrepareCall;
  readonly echo: EchoServer;
  readonly validator: RequestValidator;
  readonly random: SeededRandom;
  readonly runsCurl: boolean;
}

/** Prepares a request for generated arguments, sends it to the echo server, and validates the request that arrives. */
export async function echoOperation(operation: CalledOperation, tools: EchoTools): Promise<EchoResult> {
  const { schemas, method, path } = operation;
  const preparation = prepareGenerated(operation, tools);
  const { args, rejections } = preparation;
  const toResult = (
    outcome: EchoResult['outcome'],
    reason: string,
    curlDifferences: EchoResult['curlDifferences'],
  ) => ({
    outcome,
    reason: outcome === 'valid' ? '' : `${explainRejection(reason)} ${reason}`.trim(),
    args,
    rejections,
    curlDifferences,
  });
  if (preparation.prepared === null) return toResult('unprepared', preparation.reason, null);
  const { prepared } = preparation;
  let arrivedRequest: ArrivedRequest | undefined;
  try {
    await sendRequest(prepared, tools.echo.port);
    [arrivedRequest] = tools.echo.takeRequests();
  } catch (error) {
    return toResult('unprepared', error instanceof Error ? error.message : String(error), null);
  }
  if (!arrivedRequest) return toResult('unprepared', 'the echo server rejected the request', null);
  if (arrivedRequest.method !== method) return toResult('invalid', `the method is ${arrivedRequest.method}`, null);
  const validation = await tools.validator.validate(
    extractOperation(schemas, method, path),
    addCredentials(arrivedRequest, prepared.credentials),
  );
  const curlDifferences = tools.runsCurl ? await compareCurl(prepared, arrivedRequest, tools.echo) : null;
  return toResult(validation.kind, 'reason' in validation ? validation.reason : '', curlDifferences);
}

type GeneratedRequest = { readonly args: object; readonly rejections: readonly string[] } & (
  { readonly prepared: PreparedRequest } | { readonly prepared: null; readonly reason: string }
);

/** Generates arguments until the product accepts them, as a caller corrects them by the errors. */
function prepareGenerated({ documentText, method, path, tool }: CalledOperation, tools: EchoTools): GeneratedRequest {
  const inputSchema = JSON.parse(JSON.stringify(objectAt(tool, 'input_schema') ?? {})) as object;
  const name = `${method} ${path}`;
  const rejections: string[] = [];
  let lastArguments: object = {};
  for (const args of generateArguments(inputSchema, tools.random)) {
    lastArguments = args;
    try {
      const values = parseJsonText(JSON.stringify(args)) as ObjectValue;
      return { prepared: tools.prepare(documentText, name, values), args, rejections };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!(error instanceof RejectedArguments)) return { prepared: null, reason, args, rejections };
      rejections.push(reason);
    }
  }
  const reason = rejections.at(-1) ?? 'no arguments fit the schema of the tool';
  return { prepared: null, reason, args: lastArguments, rejections };
}

/** Adds a value for each credential, because some documents declare them as required parameters too. */
function addCredentials(request: ArrivedRequest, credentials: PreparedRequest['credentials']): ArrivedRequest {
  let { target, headers } = request;
  for (const { in: location, name } of credentials) {
    if (name === null) continue;
    if (location === 'query') target += `${target.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=credential`;
    if (location === 'header') headers = [...headers, [name.toLowerCase(), 'credential']];
    if (location === 'cookie') headers = [...headers, ['cookie', `${name}=credential`]];
  }
  return { ...request, target, headers };
}

async function compareCurl(
  prepared: PreparedRequest,
  arrived: ArrivedRequest,
  echo: EchoServer,
): Promise<readonly string[]> {
  if (prepared.curl === null) return ['there is no curl line'];
  try {
    return compareRequests(await runCurl(prepared.curl, arrived, echo), arrived, prepared.credentials);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
