import fc from "fast-check";

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * Any code point but surrogates, for `fc.string({ unit: codePoint })`. The unit "binary" draws the same, but makes a table of them all in
 * each process, which takes a second.
 */
export const codePoint = fc
  .nat({ max: 0x10_ff_ff - SURROGATES })
  .map((at) => String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES));
