/** Texts of `pages/use`. */
export const use = { title: 'Use' };
