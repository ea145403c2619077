import { createServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { LoopbackServer } from './loopback-server.ts';
import { parseMail, type ParsedMail } from './parse-mail.ts';
import { selfSignedCertificate, type Certificate } from './self-signed-certificate.ts';
import type { ServerControl } from './server-process.ts';
import { relay, type SmtpScript } from './smtp-script.ts';

export interface SmtpServerTestOptions {
  /** The credentials of the only sender. If present, a login is required. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /**
   * When encryption starts. `none`, the default: never, everything is plain text. `starttls`: when a client requests
   * it, and there is no login before that. `implicit`: with the first byte.
   */
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** The certificate to use instead of a new one for `localhost` and `127.0.0.1`. */
  readonly certificate?: Certificate;
  /** Whether the server supports pipelining (RFC 2920); true by default. */
  readonly pipelining?: boolean;
}

export interface AcceptedMail extends ParsedMail {
  /** `from` is empty for the null reverse-path (RFC 5321, section 4.5.5). */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly isEncrypted: boolean;
  /** The user who was logged in; null without a login. */
  readonly user: string | null;
  readonly bytes: Buffer;
}

export interface TestSmtpServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** The server's address without credentials: `smtp://127.0.0.1:PORT` or `smtps://…`. */
  readonly url: string;
  /** The certificate that a client must trust; null without TLS. */
  readonly certificate: string | null;
  /** Returns the mails that the server has accepted, in order. */
  accepted(): readonly AcceptedMail[];
  /** Returns the lines that clients have sent in plain text, except for the mails themselves. */
  receivedLines(): readonly string[];
  /** Sets the faults that occur from now on. `{}` removes them. */
  setScript(script: SmtpScript): void;
  readonly control: ServerControl;
  close(): Promise<void>;
}

/** Starts a real SMTP server on loopback that records mails; null if it needs a certificate that cannot be created. */
export async function startSmtpServer({
  credentials,
  tls = 'none',
  certificate,
  pipelining = true,
}: SmtpServerTestOptions = {}): Promise<TestSmtpServer | null> {
  const tlsOptions = tls === 'none' ? null : (certificate ?? selfSignedCertificate());
  if (tls !== 'none' && !tlsOptions) return null;
  const mails: AcceptedMail[] = [];
  const lines: string[] = [];
  let script: SmtpScript = {};

  const server = new SMTPServer({
    ...(tlsOptions ?? {}),
    ...recordMails(mails),
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
  // An error on a connection, for example when a client disconnects midway, affects only that client.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: serverPort } = server.server.address() as AddressInfo;

  const front = await LoopbackServer.start(
    createServer((client) => {
      void relay(client, {
        serverPort,
        script: () => script,
        resumed: () => front.resumed,
        onLine: (line) => lines.push(line),
        isEncrypted: tls === 'implicit',
      });
    }),
  );
  return {
    host: '127.0.0.1',
    port: front.port,
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${front.port}`,
    certificate: tlsOptions?.cert ?? null,
    accepted: () => [...mails],
    receivedLines: () => [...lines],
    setScript: (next) => {
      script = next;
    },
    control: front,
    async close() {
      await front.stop();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

const recordMails = (mails: AcceptedMail[]): SMTPServerOptions => ({
  onData(stream, { envelope, secure, user }, callback) {
    buffer(stream).then(
      (bytes) => {
        mails.push({
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
