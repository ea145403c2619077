/** A number as its text, because some documents have numbers that a JavaScript number cannot represent. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text);
  }
}

export type Value = null | boolean | string | NumberText | readonly Value[] | ObjectValue;
export interface ObjectValue {
  readonly [name: string]: Value;
}

/** Parses JSON; numbers keep their text. */
export const parseJsonText = (text: string): Value =>
  JSON.parse(text, ((_name: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' ? new NumberText(context.source ?? `${value}`) : value) as never) as Value;

export const isObject = (value: Value | undefined): value is ObjectValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);

export const memberAt = (value: Value | undefined, name: string): Value | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const objectAt = (value: Value | undefined, name: string): ObjectValue | undefined => {
  const member = memberAt(value, name);
  return isObject(member) ? member : undefined;
};

export const listAt = (value: Value | undefined, name: string): readonly Value[] => {
  const member = memberAt(value, name);
  return Array.isArray(member) ? (member as readonly Value[]) : [];
};

export const textsAt = (value: Value | undefined, name: string): readonly string[] =>
  listAt(value, name).filter((item) => typeof item === 'string');

export const stringAt = (value: Value | undefined, name: string): string | null => {
  const member = memberAt(value, name);
  return typeof member === 'string' ? member : null;
};
