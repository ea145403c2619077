/** Saves bytes as a file, as a browser download does. */
export const saveFile = (bytes: Blob, name: string): void => {
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // If the URL were revoked immediately, some browsers would not have read the file yet.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
