/**
 * The address of a request with each part of its path that does not percent-decode escaped, so that the part stands for itself. It
 * names nothing then, and is answered as what names nothing in its place: to whom it is due, with the detail of the missing thing
 * (specification, section 1). The query is left as it is.
 */
export const decodable = (url: string): string => {
  if (!url.includes('%')) return url;
  const start = url.indexOf('?');
  const path = start === -1 ? url : url.slice(0, start);
  const parts = path.split('/').map((part) => (decodes(part) ? part : part.replaceAll('%', '%25')));
  return parts.join('/') + url.slice(path.length);
};

const decodes = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};
