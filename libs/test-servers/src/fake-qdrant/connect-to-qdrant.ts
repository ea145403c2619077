/** Returns the real Qdrant server from the environment (`QDRANT_URL`, `QDRANT_API_KEY`), or null if there is none. */
export const connectToQdrant = async (): Promise<{ readonly url: string; readonly apiKey: string | null } | null> => {
  const url = process.env['QDRANT_URL'];
  return url ? { url, apiKey: process.env['QDRANT_API_KEY'] || null } : null;
};
