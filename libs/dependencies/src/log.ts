/** A logger with pino's interface. `fields` are logged along with the message; the field `err` is for an error. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
