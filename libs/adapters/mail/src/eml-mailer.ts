import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@portico/dependencies';
import { type Clock, DeliveryError, type Instant, type Mailer, toIso } from '@portico/domain';
import { createTransport } from 'nodemailer';
import { createMailMessage } from './mail-message.ts';
import { readSender } from './sender.ts';

export interface EmlMailerOptions {
  /** The folder for the files. It is created when the first email is written, and only its owner can access it. */
  readonly folder: string;
  /** The sender, in the format that `readSender` parses. */
  readonly from: string;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Writes each email to its own file in transport format (RFC 5322), which any mail program can open. File names sort by
 * the time when the email was first sent; an email that is sent again replaces its own file. An email that is reported as
 * sent has been written to disk completely. Throws immediately if the sender is invalid.
 */
export const createEmlMailer = ({ folder, from, clock }: EmlMailerOptions): Mailer => {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const sender = readSender(from);
  return {
    enabled: true,
    async send(mail) {
      const now = clock.now();
      const options = createMailMessage(mail, { from: sender, date: now });
      try {
        const { message } = await transport.sendMail(options);
        await storeMessage(folder, mail.id, now, message as Buffer);
      } catch (error) {
        // The error contains the file name and thus the email's id, so it is only the cause.
        throw new DeliveryError(`The email could not be written: ${codeOf(error)}`, false, error);
      }
    },
  };
};

const storeMessage = async (folder: string, id: string, now: Instant, message: Buffer): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = (await existingNameOf(folder, id)) ?? nameOf(id, now);
  await replaceFile(join(folder, name), message, join(folder, `.${id}.tmp`));
};

/**
 * Returns a file name that consists of the time and the id. The time has no colons, because some file systems reject
 * them.
 */
const nameOf = (id: string, now: Instant): string => `${toIso(now).replaceAll(':', '-')}_${id}.eml`;

const existingNameOf = async (folder: string, id: string): Promise<string | undefined> => {
  const suffix = nameOf(id, 0).slice(toIso(0).length);
  return (await readdir(folder)).find((name) => name.slice(toIso(0).length) === suffix);
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
