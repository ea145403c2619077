/** What a module of a server is only loaded with; that it is absent is a defect of the composition. */
export const required = <T>(thing: T | null, variable: string): T => {
  if (thing === null) throw new Error(`${variable} is not set`);
  return thing;
};
