import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  JsonError,
  positionOf,
  pollutingKeys,
  PorticoError,
  scanJson,
  findUnstorableEscape,
  type JsonScan,
  type JsonSpan,
} from '@portico/domain';

/** The error for a client that disconnected while its request was being read, so there is no one to respond to. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client closed the connection before its request was complete');
    this.name = 'ClientDisconnected';
  }
}

export const jsonMediaType = 'application/json';
export const formMediaType = 'application/x-www-form-urlencoded';
type MediaType = typeof jsonMediaType | typeof formMediaType;

/**
 * The maximum number of bytes of a rejected body that are read before closing the connection, so that the client reads
 * the response.
 */
const discardMaxBytes = 67_108_864;

/**
 * Returns the bytes of a request body; none if there is no body. Throws `body_too_large` (based on `Content-Length` if
 * present) and `ClientDisconnected`. For a body of declared length, also throws the errors of `checkMediaType`; for a chunked
 * body, it is not yet known whether there are any bytes. Calls `sendContinue` when it is ready to read the body.
 */
export const readBodyBytes = async (
  request: IncomingMessage,
  limitBytes: number,
  sendContinue: () => void,
  mediaType: MediaType = jsonMediaType,
): Promise<Uint8Array> => {
  const { headers } = request;
  const declaredLength = headers['content-length'];
  if (declaredLength === '0' || (declaredLength === undefined && headers['transfer-encoding'] === undefined))
    return emptyBody;
  if (declaredLength !== undefined) checkMediaType(request, mediaType);
  if (declaredLength === undefined || Number(declaredLength) > tickBytes) yieldWhileReading(request);
  if (Number(declaredLength ?? 0) > limitBytes) throw createTooLargeError(request, limitBytes);
  if (request.destroyed) throw new ClientDisconnected();
  sendContinue();
  return collect(request, limitBytes, Number(declaredLength ?? 0));
};

const emptyBody = new Uint8Array(0);

/**
 * The number of bytes of a body that are read per tick. Node reads from a socket up to 32 times, 2 MiB in total, before
 * it reads from other sockets.
 */
const tickBytes = 262_144;

/** Yields to the event loop after each `tickBytes` of a body, whether it is accepted or discarded. */
const yieldWhileReading = (request: IncomingMessage): void => {
  let readBytes = 0;
  request.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    if (readBytes < tickBytes) return;
    readBytes = 0;
    request.pause();
    setImmediate(() => request.resume());
  });
};

/** Throws `invalid_body` for any other media type, for a charset other than UTF-8, and for a compressed body. */
export const checkMediaType = ({ headers }: Pick<IncomingMessage, 'headers'>, mediaType: MediaType): void => {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = headers;
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') {
    throw createInvalidBodyError('compressed bodies are not accepted: send it without Content-Encoding');
  }
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== mediaType) {
    throw createInvalidBodyError(`Content-Type must be ${mediaType}${type === '' ? '; it is missing' : ''}`);
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw createInvalidBodyError('the charset must be utf-8');
  }
};

/**
 * A body of at least this declared length is written into one buffer as it arrives, so that it is never in memory
 * twice.
 */
const preallocateMinBytes = 131_072;

const collect = (request: IncomingMessage, limitBytes: number, declaredBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const buffer = declaredBytes >= preallocateMinBytes ? new Uint8Array(declaredBytes) : null;
    let length = 0;
    const removeListeners = (): void => {
      request.off('data', append).off('end', finish).off('close', abandon).off('error', abandon);
    };
    const append = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limitBytes) {
        // The HTTP parser ends a body at its declared length.
        if (buffer) buffer.set(chunk, length - chunk.length);
        else chunks.push(chunk);
        return;
      }
      removeListeners();
      reject(createTooLargeError(request, limitBytes));
    };
    const finish = (): void => {
      removeListeners();
      resolve(buffer ?? (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    };
    const abandon = (): void => {
      removeListeners();
      reject(new ClientDisconnected());
    };
    request.on('data', append).on('end', finish).on('close', abandon).on('error', abandon);
  });

const createTooLargeError = (request: IncomingMessage, limitBytes: number): PorticoError => {
  let discardedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > discardMaxBytes) request.destroy();
  });
  request.on('error', () => undefined); // The request was rejected anyway: the client may disconnect.
  return new PorticoError('body_too_large', { reason: `at most ${limitBytes} bytes are accepted` });
};

const createInvalidBodyError = (reason: string): PorticoError => new PorticoError('invalid_body', { reason });

/** A JSON object, parsed from a request body. */
export interface JsonBody {
  readonly value: Readonly<Record<string, unknown>>;
  /** Returns the source text of a top-level member's value; null if it is absent. */
  readonly readMemberText: (name: string) => string | null;
}

const depthMax = 100;

/** Parses bytes as a JSON object; an empty body counts as an empty object. Throws `invalid_body`. */
export const parseJsonBody = (bytes: Uint8Array): JsonBody => {
  if (bytes.length === 0) return { value: {}, readMemberText: () => null };
  if (!isUtf8(bytes)) throw createInvalidBodyError('the body is not valid UTF-8');
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const json = byteOrderMark.every((byte, index) => body[index] === byte) ? body.subarray(byteOrderMark.length) : body;
  const members = membersOf(json);
  const text = json.toString();
  const unstorableOffset = findUnstorableEscape(text);
  if (unstorableOffset !== null) {
    const position = positionOf(json, Buffer.byteLength(text.slice(0, unstorableOffset)));
    throw createInvalidBodyError(`U+0000 or a lone surrogate at ${position}`);
  }
  const value: unknown = JSON.parse(text);
  if (!members) throw createInvalidBodyError('a JSON object is expected');
  const key = pollutingKeys.find((name) => Object.hasOwn(value as object, name));
  if (key !== undefined) throw createInvalidBodyError(`${key} is not allowed`);
  // Byte offsets equal text offsets if each character is one byte.
  const textOf = ({ start, end }: JsonSpan): string =>
    text.length === json.length ? text.slice(start, end) : json.toString('utf8', start, end);
  return {
    value: value as JsonBody['value'],
    readMemberText: (memberName) => {
      // If a name occurs more than once, the last one counts, as in `JSON.parse`.
      const member = members.findLast(({ name }) => JSON.parse(textOf(name)) === memberName);
      return member ? textOf(member.value) : null;
    },
  };
};

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** The bounds of a body. The outermost value does not count as a level. */
const bounds = { nestingMax: depthMax + 1, valuesMax: Number.POSITIVE_INFINITY };

const membersOf = (json: Buffer): JsonScan['members'] => {
  try {
    return scanJson(json, bounds).members;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const position = positionOf(json, error.unexpectedAt);
    if (error.kind === 'nesting') throw createInvalidBodyError(`nested deeper than ${depthMax} levels at ${position}`);
    if (error.unexpectedAt >= json.length)
      throw createInvalidBodyError(`unexpected end of the JSON text at ${position}`);
    // A character uses at most four bytes (RFC 3629, section 3).
    const [character] = json.toString('utf8', error.unexpectedAt, error.unexpectedAt + 4);
    throw createInvalidBodyError(`unexpected ${JSON.stringify(character)} at ${position}`);
  }
};

/** The maximum length of a reason, in UTF-16 code units. Reasons quote member names, which the client chose. */
const reasonMax = 500;

/** Throws `invalid_body` if the value has, at any depth, a member name that could reach a prototype. */
export const rejectPollutingMembers = (value: unknown, path: string): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const memberPath = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (!Array.isArray(value) && pollutingKeys.includes(name)) {
      const reason = `${memberPath} is not allowed`;
      throw createInvalidBodyError(reason.length > reasonMax ? `${reason.slice(0, reasonMax)}…` : reason);
    }
    rejectPollutingMembers(member, memberPath);
  }
};
