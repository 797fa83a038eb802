import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainText, plainJson, plainText, terminalText } from "../../src/base/plain-text.ts";
import { codePoint } from "../support/code-point.ts";

it("text from outside is one line without control characters, of bounded length", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 500 }), (text) => {
      const plain = plainText(text, 100);
      expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      expect(plain.length).toBeLessThanOrEqual(101);
      expect(plain.isWellFormed()).toBe(true);
    }),
  );
});

it("ordinary text stays as it is", () => {
  const text = "limit is 0: 5 > 3 — größer, 价格, \u{1f600}";
  expect(plainText(text)).toBe(text);
});

describe.each([
  ["a soft hyphen", 0xad],
  ["a grapheme joiner", 0x34f],
  ["a Hangul filler of the first place", 0x115f],
  ["a Hangul filler of the second place", 0x1160],
  ["a Mongolian vowel separator", 0x180e],
  ["a mark that turns text around", 0x202e],
  ["an invisible multiplication sign", 0x2062],
  ["a Hangul filler", 0x3164],
  ["a variation selector", 0xfe0f],
  ["a byte order mark", 0xfeff],
  ["a Hangul filler of half width", 0xffa0],
  ["an anchor of an annotation", 0xfff9],
  ["a format control of hieroglyphs", 0x13430],
  ["a beam of music", 0x1d173],
  ["a letter as a tag", 0xe0041],
  ["a variation selector beyond the first plane", 0xe01ef],
])("%s, which does not show,", (_, code) => {
  const hidden = String.fromCodePoint(code);
  const text = `or${hidden}der`;

  it("becomes a space in a text from outside", () => {
    expect(plainText(text)).toBe("or der");
    expect(plainText(`or${hidden}${hidden}der`)).toBe("or der");
  });

  it("is not plain text: an id that has it is refused", () => {
    expect(isPlainText(text)).toBe(false);
  });

  it("does not get to the terminal", () => {
    expect(terminalText(text)).toBe("order");
  });

  it("is escaped in a line of JSON", () => {
    const line = plainJson(JSON.stringify(text));
    expect(line).toMatch(/^[ -~]+$/);
    expect(JSON.parse(line)).toBe(text);
  });
});
