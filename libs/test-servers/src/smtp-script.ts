import { connect, type Socket } from 'node:net';

/** The stages of a conversation. `message` is the end of the email data (RFC 5321, section 3.3). */
export const smtpStages = ['greeting', 'ehlo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'message'] as const;
export type SmtpStage = (typeof smtpStages)[number];

/**
 * The fault at a stage. `hang`: no more replies are sent. `drop`: the connection breaks, and the server never receives
 * the command. `lose the reply`: the server does its work, and the connection breaks before its reply arrives. Anything
 * else is sent unchanged instead of the server's reply, for example `550 5.1.1 no such user` or `* OK IMAP4`.
 */
export type SmtpFault = 'hang' | 'drop' | 'lose the reply' | (string & {});
/** The faults by stage. A stage that is not listed proceeds normally. */
export type SmtpScript = Partial<Record<SmtpStage, SmtpFault>>;

export interface RelayOptions {
  readonly serverPort: number;
  readonly getScript: () => SmtpScript;
  readonly waitUntilResumed: () => Promise<void>;
  /** Called with each plain-text line that the client sends, except for the email itself. */
  readonly onLine: (line: string) => void;
  /** Whether the conversation is encrypted from its first byte. */
  readonly isEncrypted: boolean;
}

const verbs: Record<string, SmtpStage> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'starttls',
  AUTH: 'auth',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
};

/**
 * Relays commands and their replies one at a time between a client and a real server on loopback, and applies the
 * script. Encrypted traffic is forwarded unread: no script applies to it.
 */
export async function relay(client: Socket, options: RelayOptions): Promise<void> {
  const server = connect(options.serverPort, '127.0.0.1');
  const end = () => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.on('error', end).on('close', end);
  if (options.isEncrypted) {
    await options.waitUntilResumed();
    client.pipe(server).pipe(client);
    return;
  }
  const [clientReader, serverReader] = [new Reader(client), new Reader(server)];

  /** Returns the server's reply as sent to the client, or null once the conversation is over. */
  const relayReply = async (stage: SmtpStage | undefined, forward: () => void): Promise<string | null> => {
    await options.waitUntilResumed();
    const fault = stage && options.getScript()[stage];
    if (fault === 'hang') {
      await new Promise((resolve) => client.once('close', resolve));
      return null;
    }
    if (fault === 'drop') return null;
    if (fault !== undefined && fault !== 'lose the reply') {
      client.write(`${fault}\r\n`);
      return fault;
    }
    forward();
    const reply = await serverReader.readReply();
    if (reply === null || fault === 'lose the reply') return null;
    client.write(reply, 'latin1');
    return reply;
  };

  if ((await relayReply('greeting', () => undefined)) !== null) {
    for (;;) {
      const line = await clientReader.readUntil('\r\n');
      if (line === null) break;
      options.onLine(line.trimEnd());
      const verb = line.slice(0, line.search(/\s/)).toUpperCase();
      const reply = await relayReply(verbs[verb], () => server.write(line, 'latin1'));
      if (reply === null) break;
      if (verb === 'STARTTLS' && reply.startsWith('220')) {
        clientReader.pipe(server);
        serverReader.pipe(client);
        return;
      }
      if (verb === 'DATA' && reply.startsWith('354')) {
        const mail = await clientReader.readUntil('\r\n.\r\n');
        if (mail === null) break;
        if ((await relayReply('message', () => server.write(mail, 'latin1'))) === null) break;
      }
    }
  }
  end();
}

/** Reads a socket piece by piece. Each byte becomes one character of the text (latin1). */
class Reader {
  readonly #socket: Socket;
  #buffered = '';
  #isClosed = false;
  #change = Promise.withResolvers<void>();
  readonly #append = (chunk: Buffer): void => {
    this.#buffered += chunk.toString('latin1');
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#append).on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** Reads up to and including the delimiter. Returns null if the connection closes before that. */
  async readUntil(delimiter: string): Promise<string | null> {
    for (;;) {
      const index = this.#buffered.indexOf(delimiter);
      if (index >= 0) {
        const text = this.#buffered.slice(0, index + delimiter.length);
        this.#buffered = this.#buffered.slice(index + delimiter.length);
        return text;
      }
      if (this.#isClosed) return null;
      await this.#change.promise;
    }
  }

  /** Reads a whole reply, which may have several lines (RFC 5321, section 4.2.1). */
  async readReply(): Promise<string | null> {
    for (let lines = ''; ;) {
      const line = await this.readUntil('\r\n');
      if (line === null) return null;
      lines += line;
      if (!/^\d{3}-/.test(line)) return lines;
    }
  }

  /** Forwards everything that is not read yet, and everything from now on. */
  pipe(destination: Socket): void {
    this.#socket.off('data', this.#append);
    destination.write(this.#buffered, 'latin1');
    this.#socket.pipe(destination);
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
