/** Texts of `pages/limits`. */
export const limits = { title: 'Limits' };
