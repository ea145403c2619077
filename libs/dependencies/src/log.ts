/** Where log lines go: pino's own shape. `fields` are told beside the message, an error among them as `err`. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
