/**
 * Returns the text of a response. If it exceeds `bytesMax`, stops reading and throws the error that `createError`
 * creates.
 */
export const readBoundedText = async (
  response: Response,
  bytesMax: number,
  createError: () => Error,
): Promise<string> => {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw createError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
