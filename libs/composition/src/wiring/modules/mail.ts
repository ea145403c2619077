import { createEmlMailer, createSilentMailer } from '@portico/mail';
import type { Module } from '../parts.ts';

/** Without an SMTP server: mails as files in development, none in production. */
export const mailModule: Module = (provide) => {
  provide('mail', ['config', 'clock'], ({ mail: { folder, from } }, clock) => ({
    mailer: folder === null ? createSilentMailer() : createEmlMailer({ folder, from, clock }),
    probe: null,
  }));
};
