/** Where log lines go, in pino's form. `fields` are logged beside the message, an error among them as `err`. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
