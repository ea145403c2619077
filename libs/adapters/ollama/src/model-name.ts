/**
 * The name by which the server lists a model, whatever it is asked for by: without scheme, its own registry and the namespace
 * `library`, with the tag, `latest` unless another is named, and in lower case. `https://registry.ollama.ai/library/X` is `X:latest`.
 */
export const listedName = (model: string): string => {
  const path = model.toLowerCase().replace(/^[a-z]+:\/\//, '');
  const short = path.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return short.slice(short.lastIndexOf('/') + 1).includes(':') ? short : `${short}:latest`;
};
