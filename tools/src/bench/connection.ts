import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface BenchRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, or a function that returns the body for each request number. */
  readonly body?: string | ((number: number) => string);
  /** The expected status; 200 by default. */
  readonly status?: number;
}

/**
 * A keep-alive HTTP/1.1 connection that sends one request at a time. It parses only the status and the length of a
 * response, so that it uses little CPU time on the machine that is measured.
 */
export class Connection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  /** The number of bytes of the body that have not been received yet; Infinity if the body is chunked. */
  #bytesLeft = 0;
  #status = 0;
  #onResponse: ((status: number) => void) | null = null;
  #onError: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection')));
  }

  static async open(address: string): Promise<Connection> {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Calls `onResponse` once the response is complete, or `onError` if the connection fails. */
  send(request: Buffer, onResponse: (status: number) => void, onError: (error: Error) => void): void {
    if (this.#socket.destroyed) return onError(new Error('The server has closed the connection'));
    this.#onResponse = onResponse;
    this.#onError = onError;
    this.#head = null;
    this.#bytesLeft = -1;
    this.#socket.write(request);
  }

  close(): void {
    this.#onError = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#bytesLeft >= 0) return this.#receiveBody(bytes);
    const head = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = head;
      return;
    }
    const text = head.toString('latin1', 0, end);
    this.#status = Number(text.slice(9, 12));
    this.#bytesLeft = bodyLengthOf(this.#status, text);
    this.#receiveBody(head.subarray(end + 4));
  }

  #receiveBody(bytes: Buffer): void {
    if (this.#bytesLeft === Infinity) {
      if (!bytes.subarray(-5).equals(lastChunk)) return;
    } else {
      this.#bytesLeft -= bytes.length;
      if (this.#bytesLeft > 0) return;
    }
    this.#onError = null;
    this.#onResponse?.(this.#status);
  }

  #fail(error: Error): void {
    this.#onError?.(error);
    this.#onError = null;
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');

const bodyLengthOf = (status: number, head: string): number => {
  if (status === 204 || status === 304) return 0;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length === undefined ? Infinity : Number(length);
};

/** Returns a function for the bytes of the next request; they are built once if they never change. */
export const createRequests = (address: string, request: BenchRequest): (() => Buffer) => {
  const { method = 'GET', path, headers = {}, body } = request;
  const lines = Object.entries({ host: new URL(address).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n`;
  const withBody = (text: string) => Buffer.from(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  if (typeof body === 'function') {
    let number = 0;
    return () => withBody(body(number++));
  }
  const constantRequest = body === undefined ? Buffer.from(`${head}\r\n`) : withBody(body);
  return () => constantRequest;
};
