/** Texts of `pages/access`. */
export const access = { title: 'Access' };
