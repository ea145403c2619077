/** The polynomial of CRC-32 (RFC 1952, section 8), bits reversed. */
const polynomial = 0xedb88320;

/**
 * Returns the CRC-32 of two concatenated texts from the CRC-32 of each and the length of the second in bytes: the first
 * CRC is shifted by that many zero bytes, i.e. multiplied by x to the power of 8 × length, modulo the polynomial.
 */
export const combineCrc32 = (firstCrc: number, secondCrc: number, secondBytes: number): number =>
  (multiply(powerOfX(secondBytes), firstCrc) ^ secondCrc) >>> 0;

/** Returns the product of two polynomials modulo the CRC-32 polynomial. The highest bit is the coefficient of x^0. */
const multiply = (a: number, b: number): number => {
  let product = 0;
  let factor = b;
  for (let mask = 0x80000000; mask !== 0; mask >>>= 1) {
    if (a & mask) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product >>> 0;
};

/** Returns x^(8 × bytes) modulo the polynomial, by repeated squaring. */
const powerOfX = (bytes: number): number => {
  let power = 0x80000000;
  for (let remaining = bytes, exponent = 0; remaining > 0; remaining = Math.floor(remaining / 2), exponent++) {
    if (remaining % 2 === 1) power = multiply(bytePowers[exponent] ?? 0, power);
  }
  return power;
};

/** The values of x^(8 × 2^n) for n from 0 to 52, which is enough for every safe integer. */
const bytePowers: readonly number[] = (() => {
  const powers = [0x00800000];
  for (let exponent = 1; exponent < 53; exponent++)
    powers.push(multiply(powers[exponent - 1] ?? 0, powers[exponent - 1] ?? 0));
  return powers;
})();
