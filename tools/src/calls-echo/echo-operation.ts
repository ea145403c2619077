import type { DocumentSchemas } from '../calls-check/document-schemas.ts';
import { objectAt, parseJsonText, type ObjectValue } from '../calls-check/json-text.ts';
import type { PrepareCall, PreparedRequest } from '../calls-check/product.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { explainRejection, isOwnMember } from './explain-rejection.ts';
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
  const { documentText, schemas, method, path, tool } = operation;
  const { prepare } = tools;
  const unprepared = (reason: string, args: object): EchoResult => ({
    outcome: 'unprepared',
    reason,
    args,
    curlDifferences: null,
  });
  const args = generateArguments(
    JSON.parse(JSON.stringify(objectAt(tool, 'input_schema') ?? {})) as object,
    tools.random,
  );
  if (args === null) return unprepared('no arguments fit the schema of the tool', {});
  let prepared: PreparedRequest;
  let arrivedRequest: ArrivedRequest | undefined;
  try {
    prepared = prepare(documentText, `${method} ${path}`, parseJsonText(JSON.stringify(args)) as ObjectValue);
    await sendRequest(prepared, tools.echo.port);
    [arrivedRequest] = tools.echo.takeRequests();
  } catch (error) {
    return unprepared(error instanceof Error ? error.message : String(error), args);
  }
  if (!arrivedRequest) return unprepared('the echo server rejected the request', args);
  if (arrivedRequest.method !== method)
    return { outcome: 'invalid', reason: `the method is ${arrivedRequest.method}`, args, curlDifferences: null };
  const validation = await tools.validator.validate(
    extractOperation(schemas, method, path),
    addCredentials(arrivedRequest, prepared.credentials),
  );
  const curlDifferences = tools.runsCurl ? await compareCurl(prepared, arrivedRequest, tools.echo) : null;
  const reason = 'reason' in validation ? validation.reason : '';
  if (validation.kind !== 'invalid') return { outcome: validation.kind, reason, args, curlDifferences };
  const outcome = isOwnMember(reason, args) ? 'limit' : 'invalid';
  return { outcome, reason: `${explainRejection(reason)} ${reason}`.trim(), args, curlDifferences };
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
