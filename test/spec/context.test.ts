import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { decodeContext } from "../../src/spec/context.ts";
import { commandData } from "../../src/spec/transaction.ts";

const l1owner = "0xD02db1F0F79098822d9F84097B4376A4d7879E8f";
const orderId = `0x${"ab".repeat(32)}`;
const order = {
  l1owner,
  baseToken: "1",
  quoteToken: "2",
  side: 0,
  price: "1834.5",
  quantity: "0.25",
  orderType: 0,
  orderMode: 0,
};

const tpsl = { tpLimit: "1900", slTrigger: "1750" };
const stop = { ...order, stopPrice: "1700" };
const session = {
  type: 1,
  publickey: `0x${"12".repeat(20)}`,
  expiresAt: 1_767_312_000,
  nonce: 1_767_225_600_105,
  l1owner,
  l1signature: `0x${"11".repeat(65)}`,
};
const transfer = { l1owner, to: `0x${"12".repeat(20)}`, value: "12.5" };
const tokenTransfer = { ...transfer, token: "2" };

function problem(byte: number, context: unknown): string {
  const text = typeof context === "string" ? context : JSON.stringify(context);
  const decoded = decodeContext(commandData(byte, text));
  assert(!decoded.ok, `refused: ${text}`);
  return decoded.error;
}

function decoded(byte: number, context: unknown) {
  const result = decodeContext(commandData(byte, JSON.stringify(context)));
  assert(result.ok, result.ok ? "" : result.error);
  return result.value;
}

describe("decodeContext", () => {
  it("reads each command, in any order of fields and with spaces", () => {
    expect(decoded(0x21, order)).toEqual({ name: "order", context: order });
    expect(decoded(0x22, { orderId, l1owner })).toEqual({
      name: "cancel",
      context: { l1owner, orderId },
    });
    expect(decoded(0x23, { l1owner })).toEqual({ name: "cancel-all", context: { l1owner } });
    expect(decoded(0x21, { ...order, tpsl })).toMatchObject({ context: { tpsl } });
    expect(decoded(0x25, stop)).toEqual({ name: "stop", context: stop });
    expect(decoded(0x01, session)).toEqual({ name: "session", context: session });
    expect(decoded(0x02, transfer)).toEqual({ name: "transfer", context: transfer });
    expect(decoded(0x11, tokenTransfer)).toEqual({
      name: "token-transfer",
      context: tokenTransfer,
    });
    expect(decoded(0x12, tokenTransfer)).toEqual({ name: "withdraw", context: tokenTransfer });
    const modify = { l1owner, orderId, newPrice: null, newQty: "2" };
    expect(decoded(0x24, modify)).toEqual({ name: "modify", context: modify });
    expect(decodeContext(commandData(0x23, ` { "l1owner" : "${l1owner}" } `)).ok).toBe(true);
    // Text that looks like a field inside a value is none.
    expect(decoded(0x21, { ...order, baseToken: '":x\\"' }).name).toBe("order");
  });

  it.each([
    ["0x21", 0x21, order],
    ["0x25", 0x25, stop],
    ["0x01", 0x01, session],
    ["0x02", 0x02, transfer],
    ["0x11", 0x11, tokenTransfer],
    ["0x12", 0x12, tokenTransfer],
  ])(
    "refuses %s without a field, with another type in it, or with one more",
    (_, byte, context) => {
      for (const [field, value] of Object.entries(context)) {
        const { [field]: gone, ...rest } = context as Record<string, unknown>;
        expect(gone).toBe(value);
        expect(problem(byte, rest)).toMatch(
          new RegExp(`^context.${field} is (missing|not one of)`),
        );
        for (const wrong of [null, true, [], {}, typeof value === "number" ? "0" : 7]) {
          expect(problem(byte, { ...context, [field]: wrong })).toContain(`context.${field} `);
        }
      }
      expect(problem(byte, { ...context, more: 1 })).toContain("not known: more");
    },
  );

  it("reads withdrawals under another configured byte (D9)", () => {
    const data = commandData(0x13, JSON.stringify(tokenTransfer));
    expect(decodeContext(data, 0x13)).toMatchObject({ ok: true, value: { name: "withdraw" } });
    const usual = commandData(0x12, JSON.stringify(tokenTransfer));
    expect(decodeContext(usual, 0x13)).toEqual({ ok: false, error: "unknown command byte 0x12" });
  });

  it("refuses a repeated field, however it is escaped", () => {
    const twice = JSON.stringify(order).replace('"price"', '"price":"9","price"');
    expect(problem(0x21, twice)).toBe("context names a field twice");
    const escaped = JSON.stringify(order).replace('"price"', '"\\u0070rice":"9","price"');
    expect(problem(0x21, escaped)).toBe("context names a field twice");
  });

  it.each(["0", "0.0", "000.000"])("refuses %j as quantity and as value", (text) => {
    expect(problem(0x21, { ...order, quantity: text })).toBe("context.quantity is 0");
    expect(problem(0x25, { ...stop, quantity: text })).toBe("context.quantity is 0");
    expect(problem(0x02, { ...transfer, value: text })).toBe("context.value is 0");
    expect(problem(0x11, { ...tokenTransfer, value: text })).toBe("context.value is 0");
    expect(problem(0x12, { ...tokenTransfer, value: text })).toBe("context.value is 0");
  });

  it("refuses what is not a JSON object in UTF-8, and unknown command bytes", () => {
    for (const text of ["", "{", "{}x", "\ufeff{}", "undefined", "{'a':1}"]) {
      expect(problem(0x23, text)).toBe("context is not JSON");
    }
    for (const text of ["[]", "null", "1", '"x"']) {
      expect(problem(0x23, text)).toBe("context is not of type object");
    }
    expect(problem(0x23, "[".repeat(30_000) + "]".repeat(30_000))).toBe(
      "context is not of type object",
    );
    expect(decodeContext(Uint8Array.from([0x23, 0x7b, 0xff, 0x7d]))).toMatchObject({ ok: false });
    expect(problem(0x00, "{}")).toBe("unknown command byte 0x00");
    expect(problem(0x26, "{}")).toBe("unknown command byte 0x26");
    expect(decodeContext(new Uint8Array())).toMatchObject({ ok: false });
  });
});
