/** Texts of `pages/audit`. */
export const audit = { title: 'Audit' };
