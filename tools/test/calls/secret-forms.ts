/** Returns the forms in which a text contains a secret, in lower case: plain, escaped, percent-encoded, and encoded. */
const formsOf = (secret: string): ReadonlySet<string> => {
  const bytes = Buffer.from(secret);
  const base64Forms = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The characters at both ends also depend on the text around the secret.
    const part = text.slice(shift === 0 ? 0 : shift + 1, -4);
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [
    ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
    encodeURIComponent(encodeURIComponent(secret)),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ...[bytes.toString('hex'), bytes.toString('utf16le')],
    ...base64Forms,
  ];
  return new Set(forms.map((form) => form.toLowerCase()));
};

/** Returns the secrets that occur in a text, each with the form in which it occurs. */
export const findSecrets = (text: string, secrets: readonly string[]): readonly string[] => {
  const lowerCaseText = text.toLowerCase();
  // A JSON text that contains a JSON text escapes twice.
  const plainText = lowerCaseText.replace(/\\+/g, '');
  return secrets.flatMap((secret) =>
    [...formsOf(secret)]
      .filter((form) => lowerCaseText.includes(form) || plainText.includes(form.replace(/\\+/g, '')))
      .map((form) => `${secret} as ${form}`),
  );
};
