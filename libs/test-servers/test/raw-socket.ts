import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection whose bytes are written and read by the test itself. */
export class RawSocket {
  static async open(port: number): Promise<RawSocket> {
    const raw = RawSocket.dial(port);
    await once(raw.#socket, 'connect');
    return raw;
  }

  /** Opens a connection without waiting until it is open: one that is reset immediately may never appear to be open. */
  static dial(port: number): RawSocket {
    return new RawSocket(connect(port, '127.0.0.1'));
  }

  /** How the connection ended; pending while it is open. */
  readonly closed: Promise<'end' | 'reset'>;
  #socket: Socket;
  #receivedChunks: Buffer[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#receivedChunks.push(bytes));
    let closeReason: 'end' | 'reset' = 'end';
    socket.on('error', () => (closeReason = 'reset'));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve(closeReason)));
  }

  get receivedText(): string {
    return Buffer.concat(this.#receivedChunks).toString('latin1');
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  finish(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Returns whether a server accepts a connection on the port. */
export async function isAccepting(port: number): Promise<boolean> {
  try {
    (await RawSocket.open(port)).close();
    return true;
  } catch {
    return false;
  }
}

export const portOf = (url: string) => Number(new URL(url).port);
