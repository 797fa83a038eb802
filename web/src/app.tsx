import { StrategyPanel } from "./strategy-panel.tsx";
import { Sources } from "./sources.tsx";
import { Limits } from "./limits.tsx";
import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";
import { amountText, signedText, timeText } from "./format.ts";
import { type Live, useLive } from "./live.ts";

export function App() {
  const live = useLive();
  const { snapshot, isConnected } = live;
  const latency = snapshot?.latency;
  const tickToOrderUs = latency?.tickToOrderP50Us ?? null;
  return (
    <>
      <header class="top">
        <h1>Touchline</h1>
        <span class={isConnected ? "dot on" : "dot off"} />
        <span class="muted">{statusText(live)}</span>
        {snapshot !== undefined && snapshot.panels.length > 1 && <Totals snapshot={snapshot} />}
        {tickToOrderUs !== null && (
          <span class="muted">
            tick to order {tickToOrderUs.toFixed(0)} µs, p99{" "}
            {latency?.tickToOrderP99Us?.toFixed(0) ?? "–"} µs
          </span>
        )}
        {snapshot !== undefined && (
          <span class="muted">
            requests {snapshot.requests.perSecond.toFixed(1)} of {snapshot.requests.limit} a second
          </span>
        )}
        {snapshot !== undefined && snapshot.guard !== "none" && (
          <span class="muted">
            {snapshot.guard === "connected" ? "guard connected" : "no guard any more"}
          </span>
        )}
      </header>
      {snapshot === undefined && <p class="muted">Waiting for the bot…</p>}
      <div class={isConnected ? "" : "stale"}>
        {snapshot?.panels.map((panel) => (
          <StrategyPanel key={panel.name} panel={panel} calls={snapshot.calls} />
        ))}
      </div>
      {snapshot !== undefined && <Nets nets={snapshot.nets} />}
      {snapshot !== undefined && <Sources {...snapshot} />}
      {snapshot !== undefined && <Limits {...snapshot} />}
      {snapshot !== undefined && snapshot.warnings.length > 0 && (
        <section class="panel warnings">
          <h3>Warnings</h3>
          <ul>
            {[...snapshot.warnings].reverse().map((warning, at) => (
              <li key={at}>
                <span class="muted">{timeText(warning.timeMs)}</span> {warning.text}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** All strategies in the reporting currency. */
function Totals({ snapshot: { panels, portfolio } }: { readonly snapshot: DashboardSnapshot }) {
  const { currency, pnl, exposure } = portfolio;
  if (currency === null) return null;
  const quoted = panels.find(({ marketId }) => marketId.endsWith(`_${currency}`));
  const [day, total] = [pnl.day, pnl.total].map((amount) =>
    amount === null ? "–" : signedText(Number(amount)),
  );
  const held = exposure === null ? "–" : amountText(Number(exposure));
  return (
    <span>
      all in {quoted?.ticker.split("/")[1] ?? `token ${currency}`}: PnL today {day}, in all {total},
      exposure {held}
    </span>
  );
}

/** Strategies with several markets, each of them together. */
function Nets({ nets }: Pick<DashboardSnapshot, "nets">) {
  if (nets.length === 0) return null;
  return (
    <section class="panel">
      <h3>Over all markets of a strategy</h3>
      <table>
        <thead>
          <tr>
            <th>strategy</th>
            <th>PnL of this run</th>
            <th>unhedged</th>
            <th>at most</th>
            <th>base seconds</th>
            <th>hedge delay p50, p90</th>
            <th>slippage, bps</th>
          </tr>
        </thead>
        <tbody>
          {nets.map(({ name, pnl, exposure, hedges: { delayMs, slippageBps } }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{pnl === null ? "–" : signedText(Number(pnl))}</td>
              <td>{exposure.map(({ position }) => amountText(Number(position))).join(", ")}</td>
              <td>{exposure.map(({ max }) => amountText(Number(max))).join(", ")}</td>
              <td>{exposure.map(({ baseSeconds }) => amountText(baseSeconds)).join(", ")}</td>
              <td>{delayMs === null ? "–" : `${delayMs.p50} ms, ${delayMs.p90} ms`}</td>
              <td>{slippageBps === null ? "–" : slippageBps.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function statusText({ snapshot, isConnected }: Live): string {
  if (snapshot === undefined) return "not connected to the bot";
  const time = timeText(snapshot.nowMs);
  return isConnected ? time : `not connected to the bot, last seen at ${time}`;
}
