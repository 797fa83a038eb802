import { parseStrictJson } from "./strict-json.ts";
import {
  hasFields,
  isAddress,
  isBit,
  isFields,
  isHash,
  isPrice,
  isQuantity,
  isSignature,
  isToken,
  isWhole,
  type Fields,
} from "./strict-values.ts";

/** The contexts of §4.4 and D8, D9, D12, D23, checked without `src/spec`. */

const owner = { l1owner: isAddress };
const orNull = (check: (value: unknown) => boolean) => (value: unknown) =>
  value === null || check(value);

const order = {
  ...owner,
  baseToken: isToken,
  quoteToken: isToken,
  side: isBit,
  price: isPrice,
  quantity: isQuantity,
  orderType: isBit,
  orderMode: isBit,
};

const tpsl = (value: unknown): boolean =>
  hasFields(value, { tpLimit: isPrice, slTrigger: isPrice }, { slLimit: isPrice });

/** For each command byte, whether a value is a valid context. */
const contexts: Readonly<Record<number, (value: unknown) => boolean>> = {
  0x01: (value) =>
    hasFields(value, {
      ...owner,
      type: (type) => type === 1 || type === 2 || type === 3,
      publickey: isAddress,
      expiresAt: isWhole,
      nonce: isWhole,
      l1signature: isSignature,
    }),
  0x02: (value) => hasFields(value, { ...owner, to: isAddress, value: isQuantity }),
  0x11: (value) => hasFields(value, { ...owner, to: isAddress, token: isToken, value: isQuantity }),
  0x12: (value) => hasFields(value, { ...owner, to: isAddress, token: isToken, value: isQuantity }),
  0x21: (value) =>
    hasFields(value, order, { tpsl }) &&
    !(Object.hasOwn(value, "tpsl") && value["orderType"] === 1),
  0x22: (value) => hasFields(value, { ...owner, orderId: isHash }),
  0x23: (value) => hasFields(value, owner),
  0x24: (value) =>
    hasFields(
      value,
      { ...owner, orderId: isHash },
      { newPrice: orNull(isPrice), newQty: orNull(isQuantity) },
    ) &&
    ((value["newPrice"] ?? null) !== null || (value["newQty"] ?? null) !== null),
  0x25: (value) => hasFields(value, { ...order, stopPrice: isPrice }),
};

/** Command byte and context of `data`; undefined when the venue must refuse it. */
export function strictContext(
  data: Uint8Array,
): { readonly byte: number; readonly context: Fields } | undefined {
  const byte = data[0] ?? 0;
  const check = contexts[byte];
  if (data.length === 0 || check === undefined) return undefined;
  const bytes = Buffer.from(data.subarray(1));
  const text = bytes.toString("utf8");
  // Invalid UTF-8 does not survive decoding and encoding.
  if (!Buffer.from(text, "utf8").equals(bytes)) return undefined;
  try {
    const context = parseStrictJson(text);
    return isFields(context) && check(context) ? { byte, context } : undefined;
  } catch {
    return undefined;
  }
}
