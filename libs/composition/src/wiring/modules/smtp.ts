import { createSmtpMailer, withTemplates } from '@portico/mail';
import { Closable, requireSetting, type Module } from '../parts.ts';

/** Sends mail through an SMTP server. */
export const smtpModule: Module = (provide) => {
  provide('mail', ['config', 'clock', 'logger'], async ({ mail: { smtpUrl, from, templates } }, clock, logger) => {
    const mailer = createSmtpMailer({ url: requireSetting(smtpUrl, 'SMTP_URL'), from, clock, log: logger });
    const templatedMailer =
      templates === null ? mailer : await withTemplates(mailer, { folder: templates, log: logger });
    return new Closable({ mailer: templatedMailer, probe: mailer.probe }, () => mailer.close());
  });
};
