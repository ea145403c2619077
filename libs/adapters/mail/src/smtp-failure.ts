import { DeliveryError } from '@portico/domain';

/** The known properties of nodemailer's errors. */
interface Failure {
  readonly code?: unknown;
  /** The error code from the system or the TLS library, if nodemailer replaced that code. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  /** The server's text, which often contains the recipient's address. */
  readonly response?: unknown;
}

/**
 * The stages at which the server accepts or rejects the email itself. At other stages, it checks the connection, the
 * client, the account or the sender, which are the same for every email.
 */
const mailStages = ['RCPT TO', 'DATA'];

/**
 * Reply codes that are permanent according to their first digit, but are about the account, the encryption or the order
 * of commands (RFC 4954, section 6; RFC 5321, section 4.2.4). Once the operator has fixed the problem, the same email is
 * accepted.
 */
const accountReplyCodes = [503, 530, 534, 535, 538];

/** Whether the server is working and rejected only this email. */
export const isMailRejection = (error: unknown): boolean => {
  const failure = failureOf(error);
  return (
    replyOf(failure) !== null &&
    mailStages.includes(String(failure.command)) &&
    !accountReplyCodes.includes(Number(failure.responseCode)) &&
    !isCredentialsError(error)
  );
};

/** Whether the server requires a login, a different login, or encryption before the login (RFC 4954, section 6). */
export const isCredentialsError = (error: unknown): boolean => {
  const { code, responseCode } = failureOf(error);
  return code === 'EAUTH' || [530, 534, 535, 538].includes(Number(responseCode));
};

/** Whether encryption failed: the server does not offer it, or its certificate is not valid. */
export const isEncryptionError = (error: unknown): boolean => {
  const { code, originalCode } = failureOf(error);
  return code === 'ETLS' || /CERT|SSL|TLS|SIGNATURE/.test([code, originalCode].filter(isCode).join(' '));
};

/**
 * Returns the reason an email was not sent. Only a 5yz reply about this email is permanent (RFC 5321, section 4.2.1). Only
 * codes are copied, and there is no cause: the rest of the vendor's error, especially the server's text, may quote the
 * mail, its recipient or the password.
 */
export const toDeliveryError = (error: unknown): DeliveryError => {
  const failure = failureOf(error);
  const reply = replyOf(failure);
  const stage = ['MAIL FROM', 'RCPT TO', 'DATA'].find((command) => command === failure.command);
  if (isCredentialsError(error)) return new DeliveryError(addDetail('The mail server rejects the login', reply), false);
  if (reply && stage) {
    const permanent = reply.startsWith('5') && isMailRejection(error);
    return new DeliveryError(`The mail server answered ${reply} to ${stage}`, permanent);
  }
  if (reply) return new DeliveryError(`The mail server is not ready: ${reply}`, false);
  const isTimeout = failure.code === 'ETIMEDOUT' || failure.code === 'EABORT';
  if (isTimeout) return createTimeoutError();
  const codes = [failure.code, failure.originalCode].filter(isCode).join(' ');
  return new DeliveryError(addDetail('The connection to the mail server failed', codes || null), false);
};

export const createTimeoutError = (): DeliveryError =>
  new DeliveryError('The mail server did not respond in time', false);

const failureOf = (error: unknown): Failure => (error instanceof Error ? (error as Failure) : {});

const addDetail = (message: string, detail: string | null): string => (detail ? `${message}: ${detail}` : message);

/** Returns the reply code, followed by the enhanced status code (RFC 3463) if present. */
const replyOf = ({ responseCode, response }: Failure): string | null => {
  if (typeof responseCode !== 'number' || !/^[2-5]\d\d$/.test(String(responseCode))) return null;
  const enhancedCode =
    typeof response === 'string' ? /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(response) : null;
  return enhancedCode ? `${responseCode} ${enhancedCode[1]}` : String(responseCode);
};

const isCode = (code: unknown): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code);
