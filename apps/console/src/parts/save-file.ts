/** Saves bytes as a download of the browser. */
export const saveFile = (bytes: Blob, name: string): void => {
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers have not read the file yet if the URL is revoked immediately.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
