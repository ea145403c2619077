/** The part of WebAssembly used here, which Node has and the plain ECMAScript library does not declare. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

/** A memory that can grow and never shrinks. */
export interface KernelMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/** A compiled kernel with a memory of its own. */
export type Kernel<Functions> = Functions & { readonly memory: KernelMemory };

export const pageBytes = 65_536;

export const createKernel = <Functions>(base64: string): Kernel<Functions> => {
  const module = new WebAssembly.Module(Buffer.from(base64, 'base64'));
  return new WebAssembly.Instance(module).exports as Kernel<Functions>;
};
