/** Encrypts what must be read again (AES-256-GCM). A text or a context with a lone surrogate is a `RangeError`. */
export interface Cipher {
  /** Seals the text for this context; different at every call. */
  seal(text: string, context: string): string;
  /** Opens what was sealed for exactly this context; throws where context, key or text are others. */
  open(sealed: string, context: string): string;
  /** Whether the text was sealed by the key that seals now, and needs not be sealed anew. */
  isCurrent(sealed: string): boolean;
}
