/** Signs the messages of webhooks. */
export interface MessageSigner {
  /**
   * Returns the base64 of the HMAC-SHA256 of the text's UTF-8 bytes; the key is the base64 of its bytes. Throws a
   * `RangeError` if the text contains a lone surrogate, or if the key is not the base64 of 24 to 64 bytes.
   */
  sign(text: string, key: string): string;
  /** Returns the base64 of the bytes. */
  encodeKey(bytes: Uint8Array): string;
}
