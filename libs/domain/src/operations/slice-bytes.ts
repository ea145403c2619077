/** The limits for `max_bytes` (extensions, section 1). */
export const sliceBytes = { min: 1_024, default: 8_192, max: 262_144 };
