import { createSmtpMailer } from '@portico/mail';
import { Closable, configured, type Module } from '../parts.ts';

/** Sends mail through an SMTP server. */
export const smtpModule: Module = (provide) => {
  provide('mail', ['config', 'clock', 'logger'], ({ mail: { smtpUrl, from } }, clock, logger) => {
    const mailer = createSmtpMailer({ url: configured(smtpUrl, 'SMTP_URL'), from, clock, log: logger });
    return new Closable({ mailer, probe: mailer.probe }, () => mailer.close());
  });
};
