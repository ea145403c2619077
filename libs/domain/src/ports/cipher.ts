/** Encrypts data that must be readable again (AES-256-GCM). A text or context with a lone surrogate is a `RangeError`. */
export interface Cipher {
  /** Seals the text for this context; the result differs at every call. */
  seal(text: string, context: string): string;
  /** Opens a text that was sealed for exactly this context; throws if context, key or text differ. */
  open(sealed: string, context: string): string;
  /** Whether the text was sealed with the current key, so that it needs no resealing. */
  isCurrent(sealed: string): boolean;
}
