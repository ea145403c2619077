/** Hands bytes to the browser's downloads. */
export const saveFile = (bytes: Blob, name: string): void => {
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file when its task comes; released at once, some have not.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
