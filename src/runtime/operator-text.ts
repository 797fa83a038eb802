import type { CommandOrigin } from "../domain/command-origin.ts";
import { fillText } from "../domain/order.ts";
import type { Input } from "../kernel/input.ts";

/** An operator's command in a batch as one line, with who gave it and from where; undefined for any other input. */
export function operatorText(input: Input): string | undefined {
  if (input.type === "params") {
    const names = input.strategies.map(({ name }) => name).join(", ");
    return `new parameters of ${names}${originText(input.by)}`;
  }
  if (input.type !== "operator") return undefined;
  const of = "strategy" in input && input.strategy !== undefined ? ` of ${input.strategy}` : "";
  const more =
    "reason" in input
      ? ` (${input.reason})`
      : "fill" in input
        ? ` (${fillText(input.fill)} in ${input.fill.marketId})`
        : "";
  return `${input.command}${of}${more}${originText(input.by)}`;
}

function originText(by: CommandOrigin | undefined): string {
  return by === undefined
    ? ""
    : ` by ${by.who}${by.isAgent === true ? " (agent)" : ""}, ${by.from}`;
}
