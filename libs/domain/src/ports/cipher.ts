/**
 * Encrypts data that must be readable again (AES-256-GCM). Throws a `RangeError` if a text or context contains a lone
 * surrogate.
 */
export interface Cipher {
  /** Seals the text for this context; the result differs on every call. */
  seal(text: string, context: string): string;
  /**
   * Opens a text that was sealed for exactly this context; throws if the context, the key or the sealed text differs.
   */
  open(sealed: string, context: string): string;
  /** Whether the text was sealed with the current key, so that it needs no resealing. */
  isCurrent(sealed: string): boolean;
}
