export * from './eml-mailer.ts';
export * from './silent-mailer.ts';
