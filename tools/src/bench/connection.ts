import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface BenchRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function returns another body for each number of a request. */
  readonly body?: string | ((number: number) => string);
  /** The expected status; 200 by default. */
  readonly status?: number;
}

/**
 * A connection of HTTP/1.1 that is kept alive, with one request at a time. It looks at no more of an answer than its
 * status and its length, so that it takes little of the machine that it measures on.
 */
export class Connection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  /** The bytes of the body that are still to come; Infinity if it comes in chunks. */
  #missing = 0;
  #status = 0;
  #answered: ((status: number) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

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

  /** Calls one of the two when the whole answer has come, or none can come any more. */
  send(request: Buffer, answered: (status: number) => void, failed: (error: Error) => void): void {
    if (this.#socket.destroyed) return failed(new Error('The server has closed the connection'));
    this.#answered = answered;
    this.#failed = failed;
    this.#head = null;
    this.#missing = -1;
    this.#socket.write(request);
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#missing >= 0) return this.#receiveBody(bytes);
    const head = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = head;
      return;
    }
    const text = head.toString('latin1', 0, end);
    this.#status = Number(text.slice(9, 12));
    this.#missing = bodyLengthOf(this.#status, text);
    this.#receiveBody(head.subarray(end + 4));
  }

  #receiveBody(bytes: Buffer): void {
    if (this.#missing === Infinity) {
      if (!bytes.subarray(-5).equals(lastChunk)) return;
    } else {
      this.#missing -= bytes.length;
      if (this.#missing > 0) return;
    }
    this.#failed = null;
    this.#answered?.(this.#status);
  }

  #fail(error: Error): void {
    this.#failed?.(error);
    this.#failed = null;
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');

const bodyLengthOf = (status: number, head: string): number => {
  if (status === 204 || status === 304) return 0;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length === undefined ? Infinity : Number(length);
};

/** The bytes of the next request; made once if they are always the same. */
export const requestsOf = (address: string, request: BenchRequest): (() => Buffer) => {
  const { method = 'GET', path, headers = {}, body } = request;
  const lines = Object.entries({ host: new URL(address).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n`;
  const withBody = (text: string) => Buffer.from(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  if (typeof body === 'function') {
    let number = 0;
    return () => withBody(body(number++));
  }
  const always = body === undefined ? Buffer.from(`${head}\r\n`) : withBody(body);
  return () => always;
};
