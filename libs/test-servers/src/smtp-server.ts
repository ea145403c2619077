import { createServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { LoopbackServer } from './loopback-server.ts';
import { parseMail, type ParsedMail } from './parse-mail.ts';
import { selfSignedCertificate, type Certificate } from './self-signed-certificate.ts';
import type { ServerControl } from './server-process.ts';
import { relay, type SmtpScript } from './smtp-script.ts';

export interface SmtpServerTestOptions {
  /** The login of the one sender; if given, a login is required. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /**
   * `none`, the default: plain text. `starttls`: when a client asks for it, and no login before it. `implicit`: from
   * the first byte.
   */
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** Replaces a certificate for `localhost` and `127.0.0.1`. */
  readonly certificate?: Certificate;
  /** Whether the server accepts several commands at once (RFC 2920); it does by default. */
  readonly pipelining?: boolean;
}

export interface TakenMail extends ParsedMail {
  /** `from` is empty for the null reverse-path (RFC 5321, section 4.5.5). */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly isEncrypted: boolean;
  /** The user who had logged in. */
  readonly user: string | null;
  readonly bytes: Buffer;
}

export interface TestSmtpServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** `smtp://127.0.0.1:PORT` or `smtps://…`, without credentials. */
  readonly url: string;
  /** The certificate that a client must trust; null without TLS. */
  readonly certificate: string | null;
  /** The mails that the server accepted, in order. */
  taken(): readonly TakenMail[];
  /** What clients sent in plain text, without the mails themselves. */
  heard(): readonly string[];
  /** Sets the faults from now on; `{}` for none. */
  play(script: SmtpScript): void;
  readonly control: ServerControl;
  close(): Promise<void>;
}

/** A real SMTP server on loopback that keeps the mails it receives. Null if it needs a certificate and none can be made. */
export async function startSmtpServer({
  credentials,
  tls = 'none',
  certificate,
  pipelining = true,
}: SmtpServerTestOptions = {}): Promise<TestSmtpServer | null> {
  const own = tls === 'none' ? null : (certificate ?? selfSignedCertificate());
  if (tls !== 'none' && !own) return null;
  const taken: TakenMail[] = [];
  const heard: string[] = [];
  let script: SmtpScript = {};

  const server = new SMTPServer({
    ...(own ?? {}),
    ...keeping(taken),
    ...login(credentials),
    secure: tls === 'implicit',
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(credentials ? [] : ['AUTH'])],
    allowInsecureAuth: tls === 'none',
    hidePIPELINING: !pipelining,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
  });
  // If a client damages a connection, for example by leaving midway, only that client learns of it.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: serverPort } = server.server.address() as AddressInfo;

  const front = await LoopbackServer.start(
    createServer((client) => {
      void relay(client, {
        serverPort,
        script: () => script,
        awake: () => front.awake,
        heard: (line) => heard.push(line),
        isOpaque: tls === 'implicit',
      });
    }),
  );
  return {
    host: '127.0.0.1',
    port: front.port,
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${front.port}`,
    certificate: own?.cert ?? null,
    taken: () => [...taken],
    heard: () => [...heard],
    play: (next) => {
      script = next;
    },
    control: front,
    async close() {
      await front.stop();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

const keeping = (taken: TakenMail[]): SMTPServerOptions => ({
  onData(stream, { envelope, secure, user }, callback) {
    buffer(stream).then(
      (bytes) => {
        taken.push({
          ...parseMail(bytes),
          envelope: {
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
          },
          isEncrypted: secure,
          user: typeof user === 'string' ? user : null,
          bytes,
        });
        callback();
      },
      (error: Error) => callback(error),
    );
  },
});

const login = (credentials: SmtpServerTestOptions['credentials']): SMTPServerOptions =>
  credentials
    ? {
        authMethods: ['PLAIN', 'LOGIN'],
        onAuth({ username, password }, _session, callback) {
          const isRight = username === credentials.user && password === credentials.password;
          callback(isRight ? null : new Error('The user name or password is wrong'), { user: username });
        },
      }
    : { authOptional: true };
