/** The text of a field of a form, trimmed. */
export const fieldOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
