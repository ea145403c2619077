// In characters (Unicode code points), once trimmed (specification, section 1).
export const emailMax = 254;
export const uidMax = 128;
export const fullNameMax = 200;
export const companyNameMax = 200;
export const rejectionReasonMax = 1_000;
