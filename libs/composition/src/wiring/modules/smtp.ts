import { createSmtpMailer, withTemplates } from '@portico/mail';
import { Closable, configured, type Module } from '../parts.ts';

/** Sends mail through an SMTP server. */
export const smtpModule: Module = (provide) => {
  provide('mail', ['config', 'clock', 'logger'], async ({ mail: { smtpUrl, from, templates } }, clock, logger) => {
    const mailer = createSmtpMailer({ url: configured(smtpUrl, 'SMTP_URL'), from, clock, log: logger });
    const withTexts = templates === null ? mailer : await withTemplates(mailer, { folder: templates, log: logger });
    return new Closable({ mailer: withTexts, probe: mailer.probe }, () => mailer.close());
  });
};
