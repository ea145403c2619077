export * from './eml-mailer.ts';
export { findTemplateProblems, withTemplates } from './mail-templates.ts';
export { readSender, type Sender } from './sender.ts';
export * from './disabled-mailer.ts';
export { findSmtpProblem, type SmtpProblem } from './smtp-connection.ts';
export { createSmtpMailer, type SmtpMailer, type SmtpMailerOptions } from './smtp-mailer.ts';
export { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';
