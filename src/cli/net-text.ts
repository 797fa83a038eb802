import { rounded } from "../base/rounded.ts";
import type { NetFigures } from "../metrics/net-fold.ts";
import type { Summary } from "../metrics/summary.ts";
import { symbolOf } from "./token-of.ts";

/** The strategies with several markets, each of them together: a row each. */
export function netRows(
  nets: Summary["nets"],
  symbols: ReadonlyMap<string, string>,
): (readonly [string, string])[] {
  return (nets ?? []).map((net) => [`  ${net.name}, net`, netText(net, symbols)]);
}

/** The net figures of one strategy in one line. */
export function netText(
  { pnl, exposure, hedges }: NetFigures,
  symbols: ReadonlyMap<string, string> = new Map(),
): string {
  const held = exposure.map(
    ({ token, position, baseSeconds, max }) =>
      `${position} ${symbolOf(symbols, token)} unhedged (at most ${max}, ${rounded(String(baseSeconds))} base seconds)`,
  );
  const { count, delayMs, slippageBps } = hedges;
  const cost = slippageBps === null ? "" : `, slippage ${slippageBps.toFixed(2)} bps`;
  const hedged =
    delayMs === null
      ? "no fill was hedged"
      : `${count} fills hedged after ${delayMs.p50} ms (90 % within ${delayMs.p90} ms, at most ${delayMs.max} ms)${cost}`;
  return [`PnL ${rounded(pnl ?? "unknown")}`, ...held, hedged].join("; ");
}
