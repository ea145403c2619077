import type { Principal } from '../../access/principal.ts';
import { toBase64 } from '../../base64.ts';
import { callBodyBytesMax, type CallInput, type CallResult } from '../../calls/call.ts';
import { type CallCounter, type CallOutcome, outcomeOf } from '../../calls/call-counter.ts';
import { toCallResponse } from '../../calls/call-response.ts';
import { type CredentialValue, placeCredentials, secretsOf, toSentValue } from '../../calls/place-credentials.ts';
import { createRedactor, type Redactor } from '../../calls/redactor.ts';
import type { Collection } from '../../collections/collection.ts';
import { type ErrorCode, isPorticoError, PorticoError } from '../../errors.ts';
import type { CallId } from '../../ids.ts';
import { toShortLine } from '../../line.ts';
import type { PreparedRequest } from '../../operations/prepare-request.ts';
import type { Egress, EgressResponse } from '../../ports/egress.ts';
import type { Ports } from '../../ports/index.ts';
import type { LocatedOperation } from '../../ports/operation-slicer.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import { collectionFieldsOf, createSystemEntry } from '../audit/system-entry.ts';
import type { AccessTokens, OAuthClient } from './access-tokens.ts';
import type { ChosenCredential } from './choose-credentials.ts';

/** A call that may be made. */
export interface AllowedCall {
  readonly principal: Principal;
  readonly collection: Collection;
  readonly operation: LocatedOperation;
  readonly input: CallInput;
  readonly request: PreparedRequest;
  /** Null if the request has none. */
  readonly body: Uint8Array | null;
  readonly credentials: readonly ChosenCredential[];
}

export type RecordingPorts = Pick<Ports, 'audit' | 'clock' | 'random'> &
  WithUsageCounter & { readonly callCounter: CallCounter };

/** The connections that a call uses. */
export interface CallConnections {
  readonly egress: Egress;
  readonly tokens: AccessTokens;
}

/**
 * Sends a call, and returns the response without secrets. Writes one audit entry for it, whether or not there is a
 * response.
 */
export const sendCall = async (ports: RecordingPorts & CallConnections, call: AllowedCall): Promise<CallResult> => {
  const { principal, collection, input, body } = call;
  const callId = input.callId ?? (ports.random.uuid() as CallId);
  const startedAt = ports.clock.monotonic();
  const getElapsedMs = (): number => ports.clock.monotonic() - startedAt;
  const finish = async (outcome: CallOutcome, result: CallEnd): Promise<number> => {
    const durationMs = Math.round(getElapsedMs());
    ports.callCounter.end(outcome, durationMs);
    principal.deadline?.restart();
    if (outcome !== 'rejected')
      await ports.audit.append(
        createCallEntry(ports, call, { ...result, callId, durationMs, requestBytes: body?.length ?? 0 }),
        principal.deadline,
      );
    return durationMs;
  };
  // The call has a timeout of its own, which may be longer than the request's deadline.
  principal.deadline?.suspend();
  ports.callCounter.begin();
  let exchange: Exchange;
  try {
    exchange = await exchangeWith(ports, call, () => Math.max(1, input.timeoutMs - getElapsedMs()));
  } catch (error) {
    const code = isPorticoError(error) ? error.code : 'internal';
    await finish(failures[code] ?? 'rejected', { status: null, responseBytes: 0, error: code });
    throw error;
  }
  const { response, redactor } = exchange;
  const { status } = response;
  const durationMs = await finish(outcomeOf(status), { status, responseBytes: response.body.length });
  ports.uses.count(principal, 'call', collection.id, call.operation.context.operationKey);
  return { callId, durationMs, ...toCallResponse(response, redactor, input.bodyBytesMax) };
};

/** The errors after which the request may have reached the API. */
const failures: Readonly<Partial<Record<ErrorCode, CallOutcome>>> = {
  upstream_unreachable: 'unreachable',
  upstream_timed_out: 'timed_out',
  internal: 'unreachable',
};

interface CallEnd {
  /** Null if there was no response. */
  readonly status: number | null;
  readonly responseBytes: number;
  readonly error?: ErrorCode;
}

interface Exchange {
  readonly response: EgressResponse;
  readonly redactor: Redactor;
}

/** Sends the request, and once more with a new access token if the API rejects the one in memory. */
const exchangeWith = async (
  { egress, tokens }: CallConnections,
  call: AllowedCall,
  getRemainingMs: () => number,
): Promise<Exchange> => {
  const { principal, credentials, request, body, input } = call;
  const caller = principal.profile.id;
  const send = async (): Promise<Exchange & { readonly usesEarlierToken: boolean }> => {
    const values: OpenedCredential[] = [];
    for (const credential of credentials)
      values.push(await openValue(tokens, call, credential, { caller, timeoutMs: getRemainingMs() }));
    const { url, headers, method } = placeCredentials(request, values);
    const redactor = createRedactor(values.flatMap(({ secrets }) => secrets));
    const response = await egress.send(
      { method, url, headers: addHeaders(headers, input), body },
      { caller, timeoutMs: getRemainingMs(), bodyBytesMax: input.bodyBytesMax + redactor.lengthMax },
    );
    return { response, redactor, usesEarlierToken: values.some(({ isEarlierToken }) => isEarlierToken) };
  };
  const exchange = await send();
  if (exchange.response.status !== 401 || !exchange.usesEarlierToken) return exchange;
  for (const credential of credentials) {
    const client = clientOf(call, credential);
    if (client) tokens.forget(client);
  }
  return send();
};

/** The credential as it is sent, and the texts that a response must not contain. */
interface OpenedCredential extends CredentialValue {
  readonly secrets: readonly string[];
  /** Whether it is an access token that was issued for an earlier call. */
  readonly isEarlierToken: boolean;
}

const openValue = async (
  tokens: AccessTokens,
  call: AllowedCall,
  chosenCredential: ChosenCredential,
  options: { readonly caller: string; readonly timeoutMs: number },
): Promise<OpenedCredential> => {
  const { credential, stored } = chosenCredential;
  const { content } = stored;
  const client = clientOf(call, chosenCredential);
  if (client) {
    const { value, isFresh } = await tokens.get(client, options);
    return { credential, value, secrets: [value, client.clientSecret], isEarlierToken: !isFresh };
  }
  switch (content.kind) {
    case 'value': {
      const value = toSentValue(credential.type, content.value);
      return { credential, value, secrets: secretsOf(credential.type, content.value), isEarlierToken: false };
    }
    case 'basic': {
      const value = toBase64(`${content.username}:${content.password}`);
      return { credential, value, secrets: [value, content.password], isEarlierToken: false };
    }
    case 'client':
      throw new Error('An OAuth client without a token URL was chosen.');
  }
};

/** Returns the OAuth client of a credential; null if the credential is sent as it is. */
const clientOf = (
  { collection }: AllowedCall,
  { credential, stored, tokenUrl }: ChosenCredential,
): OAuthClient | null => {
  const { content, id, updatedAt } = stored;
  if (content.kind !== 'client' || tokenUrl === null) return null;
  const { clientId, clientSecret } = content;
  return { id: `${collection.id}/${id}/${updatedAt}`, clientId, clientSecret, tokenUrl, scopes: credential.scopes };
};

type Headers = readonly (readonly [name: string, value: string])[];

/** Adds the headers that are not arguments, unless the document declares them. */
const addHeaders = (headers: Headers, { idempotencyKey }: CallInput): Headers => {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const ownHeaders: Headers = [
    ['User-Agent', 'Portico'],
    ...(idempotencyKey === null ? [] : [['Idempotency-Key', idempotencyKey] as const]),
  ];
  return [...headers, ...ownHeaders.filter(([name]) => !names.has(name.toLowerCase()))];
};

/** Returns the bytes of a body; throws `invalid_arguments` if it is too long. */
export const toBytes = ({ body }: PreparedRequest): Uint8Array | null => {
  if (!body) return null;
  const bytes =
    'text' in body
      ? new TextEncoder().encode(body.text)
      : Uint8Array.from(atob(body.base64), (character) => character.charCodeAt(0));
  if (bytes.length <= callBodyBytesMax) return bytes;
  const message = `must make a body of at most ${callBodyBytesMax} bytes; this one has ${bytes.length}`;
  throw new PorticoError('invalid_arguments', { reason: message, errors: [{ pointer: '', message }] });
};

/** The maximum length of a path in an audit entry, in UTF-16 units. */
const pathMax = 500;

const createCallEntry = (
  ports: Pick<Ports, 'clock' | 'random'>,
  { principal, collection, operation, credentials }: AllowedCall,
  {
    status,
    responseBytes,
    error,
    callId,
    durationMs,
    requestBytes,
  }: CallEnd & { readonly callId: CallId; readonly durationMs: number; readonly requestBytes: number },
) =>
  createSystemEntry(ports, principal.profile, {
    action: 'collection.call',
    ...collectionFieldsOf(collection),
    operation_key: operation.context.operationKey,
    method: operation.method,
    path: toShortLine(operation.path, pathMax),
    call_id: callId,
    status,
    ...(error === undefined ? {} : { error }),
    request_bytes: requestBytes,
    response_bytes: responseBytes,
    duration_ms: durationMs,
    credentials: credentials.map(({ stored }) => stored.id),
    via: principal.via,
  });

/** Parts of every runtime that the domain's library does not declare. */
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
