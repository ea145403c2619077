import { createEmlMailer, createDisabledMailer, withTemplates } from '@portico/mail';
import type { Module } from '../parts.ts';

/** Without an SMTP server, emails are written to files in development, and are not sent in production. */
export const mailModule: Module = (provide) => {
  provide('mail', ['config', 'clock', 'logger'], async ({ mail: { folder, from, templates } }, clock, logger) => {
    if (folder === null) return { mailer: createDisabledMailer(), probe: null };
    const mailer = createEmlMailer({ folder, from, clock });
    return {
      mailer: templates === null ? mailer : await withTemplates(mailer, { folder: templates, log: logger }),
      probe: null,
    };
  });
};
