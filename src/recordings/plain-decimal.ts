const plain = /^\d+(\.\d+)?$/;
const scientific = /^\s*\+?(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?\s*$/i;

/** The same number without exponent, sign or missing digits: `5e-05` is `0.00005`. Other text, such as `-1`, is returned as it is. */
export function plainDecimal(text: string): string {
  if (plain.test(text)) return text;
  const match = scientific.exec(text);
  const [, whole = "", fraction = "", exponent = "0"] = match ?? [];
  if (whole + fraction === "") return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padStart(
    whole.length + fraction.length - Math.min(0, point - 1),
    "0",
  );
  const at = Math.max(1, point);
  const [before, after] = [digits.slice(0, at).padEnd(at, "0"), digits.slice(at)];
  const shown = before.replace(/^0+(?=\d)/, "");
  return after === "" ? shown : `${shown}.${after}`;
}
