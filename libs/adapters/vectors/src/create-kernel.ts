/** The part of WebAssembly used here, which Node has and the plain ECMAScript library does not declare. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** A compiled kernel with a memory of its own, which can grow and never shrinks. */
export interface Kernel<Numbers extends readonly number[]> {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly score: (...numbers: Numbers) => void;
}

export const pageBytes = 65_536;

export const createKernel = <Numbers extends readonly number[]>(base64: string): Kernel<Numbers> => {
  const module = new WebAssembly.Module(Buffer.from(base64, 'base64'));
  return new WebAssembly.Instance(module).exports as Kernel<Numbers>;
};
