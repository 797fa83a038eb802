import { suggestion } from "../base/nearest.ts";
/** A value computed from named ones: `pnl - 2 * maxDrawdown`; null where a name has no value, or the result is none. */
export type Expression<Value = number> = (valueOf: (name: string) => Value | null) => Value | null;

type Parse<Value> = { readonly expression: Expression<Value> } | { readonly problem: string };

type Sign = "+" | "-" | "*" | "/";

/** How an expression counts with one kind of value. */
export interface Arithmetic<Value> {
  /** An expression for people whose own is none. */
  readonly example: string;
  constant(number: number): Value;
  /** Null where the result is no value, as in a division by 0. */
  combine(sign: Sign, left: Value, right: Value): Value | null;
}

const token = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)|([-+*/()]))/iy;
const operations: Readonly<Record<Sign, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
};

/** Plain numbers. */
export const numbers: Arithmetic<number> = {
  example: "pnl - 2 * maxDrawdown",
  constant: (number) => number,
  combine(sign, left, right) {
    const value = operations[sign](left, right);
    return Number.isFinite(value) ? value : null;
  },
};

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Bid and ask of prices: the lowest and the highest result of what is between them. */
export const intervals: Arithmetic<Interval> = {
  example: "btcusdt * usdtkrw",
  constant: (number) => ({ low: number, high: number }),
  combine(sign, left, right) {
    if (sign === "/" && right.low <= 0 && right.high >= 0) return null;
    const of = operations[sign];
    const ends = [left.low, left.high].flatMap((one) => [of(one, right.low), of(one, right.high)]);
    const value = { low: Math.min(...ends), high: Math.max(...ends) };
    return Number.isFinite(value.low) && Number.isFinite(value.high) ? value : null;
  },
};

/** Reads `+ - * /`, parentheses, numbers and these names, where `own.*` stands for all that begin with `own.`. */
export function parseExpression<Value>(
  text: string,
  names: readonly string[],
  arithmetic: Arithmetic<Value>,
): Parse<Value> {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let end = 0; end < text.trimEnd().length; end = token.lastIndex) {
    const found = token.exec(text);
    if (found === null)
      return { problem: `"${text.slice(end).trim()}" is no part of an expression` };
    tokens.push(found[0].trim());
  }
  const isKnown = (name: string): boolean =>
    names.some(
      (known) => known === name || (known.endsWith("*") && name.startsWith(known.slice(0, -1))),
    );
  const unknown = tokens.find((each) => /^[A-Za-z]/.test(each) && !isKnown(each));
  if (unknown !== undefined) {
    const known = names.join(", ");
    return { problem: `"${unknown}" is not one of ${known}${suggestion(unknown, names)}` };
  }
  let at = 0;

  const operand = (): Expression<Value> | undefined => {
    const next = tokens[at];
    at += 1;
    if (next === "-") {
      const of = operand();
      return of && ((valueOf) => combined("-", arithmetic.constant(0), of(valueOf)));
    }
    if (next === "(") {
      const inner = sum();
      if (tokens[at] !== ")") return undefined;
      at += 1;
      return inner;
    }
    if (next === undefined || /^[-+*/)]/.test(next)) return undefined;
    if (!/^\d/.test(next)) return (valueOf) => valueOf(next);
    const constant = arithmetic.constant(Number(next));
    return () => constant;
  };
  const chain = (
    of: () => Expression<Value> | undefined,
    signs: readonly Sign[],
  ): Expression<Value> | undefined => {
    let left = of();
    for (;;) {
      const sign = signs.find((one) => one === tokens[at]);
      if (left === undefined || sign === undefined) return left;
      at += 1;
      const [before, right] = [left, of()];
      left = right && ((valueOf) => combined(sign, before(valueOf), right(valueOf)));
    }
  };
  const product = (): Expression<Value> | undefined => chain(operand, ["*", "/"]);
  const sum = (): Expression<Value> | undefined => chain(product, ["+", "-"]);

  const combined = (sign: Sign, left: Value | null, right: Value | null): Value | null =>
    left === null || right === null ? null : arithmetic.combine(sign, left, right);

  const expression = sum();
  if (expression === undefined || at < tokens.length) {
    return { problem: `is not an expression such as ${arithmetic.example}` };
  }
  return { expression };
}

/** The names in an expression. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/(?<![\w.])[A-Za-z]\w*/g))];
}
