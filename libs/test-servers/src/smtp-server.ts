import { createServer, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { LoopbackServer } from './loopback-server.ts';
import { parseMail, type ParsedMail } from './parse-mail.ts';
import { createSelfSignedCertificate, type Certificate } from './self-signed-certificate.ts';
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
  /** The server's URL without credentials: `smtp://127.0.0.1:PORT` or `smtps://…`. */
  readonly url: string;
  /** The certificate that a client must trust; null without TLS. */
  readonly certificate: string | null;
  /** Returns the emails that the server has accepted, in order. */
  listAccepted(): readonly AcceptedMail[];
  /** Returns the lines that clients have sent in plain text, except for the emails themselves. */
  listReceivedLines(): readonly string[];
  /** Sets the faults that occur from now on. `{}` removes them. */
  setScript(script: SmtpScript): void;
  readonly control: ServerControl;
  close(): Promise<void>;
}

/** Starts a real SMTP server on loopback that records emails; null if it needs a certificate that cannot be created. */
export async function startSmtpServer({
  credentials,
  tls = 'none',
  certificate,
  pipelining = true,
}: SmtpServerTestOptions = {}): Promise<TestSmtpServer | null> {
  const tlsOptions = tls === 'none' ? null : (certificate ?? createSelfSignedCertificate());
  if (tls !== 'none' && !tlsOptions) return null;
  const mails: AcceptedMail[] = [];
  const lines: string[] = [];
  let script: SmtpScript = {};

  const server = new SMTPServer({
    ...(tlsOptions ?? {}),
    ...createRecordingOptions(mails),
    ...createLoginOptions(credentials),
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

  const proxy = await LoopbackServer.start(
    createServer((client) => {
      void relay(client, {
        serverPort,
        getScript: () => script,
        waitUntilResumed: () => proxy.resumed,
        onLine: (line) => lines.push(line),
        isEncrypted: tls === 'implicit',
      });
    }),
  );
  return {
    host: '127.0.0.1',
    port: proxy.port,
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${proxy.port}`,
    certificate: tlsOptions?.cert ?? null,
    listAccepted: () => [...mails],
    listReceivedLines: () => [...lines],
    setScript: (newScript) => {
      script = newScript;
    },
    control: proxy,
    async close() {
      await proxy.stop();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

const createRecordingOptions = (mails: AcceptedMail[]): SMTPServerOptions => ({
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

const createLoginOptions = (credentials: SmtpServerTestOptions['credentials']): SMTPServerOptions =>
  credentials
    ? {
        authMethods: ['PLAIN', 'LOGIN'],
        onAuth({ username, password }, _session, callback) {
          const isValid = username === credentials.user && password === credentials.password;
          callback(isValid ? null : new Error('The user name or password is wrong'), { user: username });
        },
      }
    : { authOptional: true };
