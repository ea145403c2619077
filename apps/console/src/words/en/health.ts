/** Texts of `pages/health`. */
export const health = { title: 'Health' };
