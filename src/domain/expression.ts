/** A number computed from named ones: `pnl - 2 * maxDrawdown`. */
export type Expression = (valueOf: (name: string) => number | null) => number | null;

type Parse = { readonly expression: Expression } | { readonly problem: string };

const token = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)|([-+*/()]))/iy;
const operations: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
};

/**
 * Reads `+ - * /`, parentheses, numbers and these names, where `own.*` stands for all that begin with `own.`. The result is null where a name has no value, or the number would not be
 * finite, as in a division by 0.
 */
export function parseExpression(text: string, names: readonly string[]): Parse {
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
  if (unknown !== undefined) return { problem: `"${unknown}" is not one of ${names.join(", ")}` };
  let at = 0;

  const operand = (): Expression | undefined => {
    const next = tokens[at];
    at += 1;
    if (next === "-") {
      const of = operand();
      return of && ((valueOf) => combined(operations["-"], 0, of(valueOf)));
    }
    if (next === "(") {
      const inner = sum();
      if (tokens[at] !== ")") return undefined;
      at += 1;
      return inner;
    }
    if (next === undefined || /^[-+*/)]/.test(next)) return undefined;
    return /^\d/.test(next) ? () => Number(next) : (valueOf) => valueOf(next);
  };
  const chain = (of: () => Expression | undefined, signs: string): Expression | undefined => {
    let left = of();
    while (left !== undefined && signs.includes(tokens[at] ?? " ")) {
      const operation = operations[tokens[at] ?? ""];
      at += 1;
      const [before, right] = [left, of()];
      left = right && ((valueOf) => combined(operation, before(valueOf), right(valueOf)));
    }
    return left;
  };
  const product = (): Expression | undefined => chain(operand, "*/");
  const sum = (): Expression | undefined => chain(product, "+-");

  const expression = sum();
  if (expression === undefined || at < tokens.length) {
    return { problem: "is not an expression such as pnl - 2 * maxDrawdown" };
  }
  return { expression };
}

function combined(
  operation: ((left: number, right: number) => number) | undefined,
  left: number | null,
  right: number | null,
): number | null {
  if (operation === undefined || left === null || right === null) return null;
  const value = operation(left, right);
  return Number.isFinite(value) ? value : null;
}
