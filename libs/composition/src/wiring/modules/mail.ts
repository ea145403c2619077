import { createEmlMailer, createSilentMailer } from '@portico/mail';
import type { Module } from '../parts.ts';

/** Mails as files in development, none in production while no SMTP server is configured. */
export const mailModule: Module = (provide) => {
  provide('mail', ['config', 'clock'], ({ mail: { folder, from } }, clock) => ({
    mailer: folder === null ? createSilentMailer() : createEmlMailer({ folder, from, clock }),
    probe: null,
  }));
};
