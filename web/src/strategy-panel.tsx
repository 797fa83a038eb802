import type { DashboardSnapshot, StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";
import { AccountChart } from "./account-chart.tsx";
import { amountText, priceText, signedText, timeText } from "./format.ts";
import { Ladder } from "./ladder.tsx";
import { PriceChart } from "./price-chart.tsx";

/** One strategy: figures, charts, book, orders and fills. */
export function StrategyPanel({
  panel,
  calls,
}: {
  readonly panel: StrategyPanelSnapshot;
  readonly calls: DashboardSnapshot["calls"];
}) {
  const { position, run, counts } = panel;
  const decide = calls.find((row) => row.strategy === panel.strategy && row.hook === "decide");
  const quote = panel.ticker.split("/")[1] ?? "quote";
  const base = panel.ticker.split("/")[0] ?? "base";
  return (
    <section class="strategy">
      <header>
        <h2>
          {panel.ticker} <small>{panel.name}</small>
        </h2>
        {panel.risk.step === "normal" ? null : (
          <span class="quote-reason off">
            risk: {panel.risk.step}, {panel.risk.reason}
          </span>
        )}
        {panel.denied.map(({ rule, count, first }) => (
          <span key={rule} class="quote-reason off">
            denied by {rule}: {count}, first {first}
          </span>
        ))}
        <QuoteReason side="bid" reason={panel.reason.BUY} />
        <QuoteReason side="ask" reason={panel.reason.SELL} />
      </header>
      <div class="tiles">
        <Money label={`PnL today, ${quote}`} amount={position.dayPnl} />
        <Money label={`PnL in all, ${quote}`} amount={position.totalPnl} />
        <Money label={`realised, ${quote}`} amount={position.realisedPnl} />
        <Money label={`unrealised, ${quote}`} amount={position.unrealisedPnl} />
        <Tile label={`position, ${base}`} value={amountText(Number(position.base))} />
        <Money label={`PnL of this run, ${quote}`} amount={run.pnl} />
        <Tile label={`change in this run, ${base}`} value={amountText(Number(run.inventory))} />
        <Tile label="fills of this run" value={String(counts.fills)} />
        <Tile
          label="placed / kept / canceled"
          value={`${counts.placed} / ${counts.kept} / ${counts.canceled}`}
        />
        {panel.uptime !== null && (
          <Tile
            label={`uptime bid / ask${panel.uptime.obligation === null ? "" : " / obligation"}, %`}
            value={[panel.uptime.bid, panel.uptime.ask, panel.uptime.obligation ?? []]
              .flat()
              .map((share) => (share === null ? "–" : (share * 100).toFixed(1)))
              .join(" / ")}
          />
        )}
        {Object.entries(panel.described).map(([name, value]) => (
          <Tile key={name} label={name} value={String(value)} />
        ))}
        <Tile label="rejected" value={String(counts.rejected)} />
        {decide !== undefined && (
          <Tile
            label="decide, median / 99 % / max, µs"
            value={[decide.p50Us, decide.p99Us, decide.maxUs]
              .map((us) => us.toFixed(0))
              .join(" / ")}
          />
        )}
      </div>
      <div class="columns">
        <div class="panel wide">
          <h3>Price, own quotes, fills</h3>
          <PriceChart panel={panel} />
          <div class="pair">
            <div>
              <h3>PnL in all, {quote}</h3>
              <AccountChart panel={panel} series="pnl" color="accent" />
            </div>
            <div>
              <h3>Position, {base}</h3>
              <AccountChart panel={panel} series="position" color="text" />
            </div>
          </div>
        </div>
        <div class="panel">
          <h3>Book</h3>
          <Ladder panel={panel} />
        </div>
        <div class="panel">
          <h3>Own orders</h3>
          <Orders panel={panel} />
          <h3>Fills</h3>
          <Fills panel={panel} />
        </div>
      </div>
    </section>
  );
}

function QuoteReason({
  side,
  reason,
}: {
  readonly side: "bid" | "ask";
  readonly reason: string | null;
}) {
  return (
    <span class={`quote-reason ${side} ${reason === null ? "on" : "off"}`}>
      {side} {reason === null ? "quoted" : `not quoted: ${reason}`}
    </span>
  );
}

function Tile(props: { readonly label: string; readonly value: string; readonly tone?: number }) {
  const { label, value, tone = 0 } = props;
  return (
    <div class={`tile ${tone > 0 ? "up" : tone < 0 ? "down" : ""}`}>
      <b>{value}</b>
      <span>{label}</span>
    </div>
  );
}

/** Money with the colour of its sign; null is not known. */
function Money(props: { readonly label: string; readonly amount: string | null }) {
  const { label, amount } = props;
  if (amount === null) return <Tile label={label} value="–" />;
  return <Tile label={label} value={signedText(Number(amount))} tone={Number(amount)} />;
}

function Orders({ panel }: { readonly panel: StrategyPanelSnapshot }) {
  if (panel.orders.length === 0) return <p class="muted">none</p>;
  const rows = [...panel.orders].sort((left, right) => right.price - left.price);
  return (
    <table class="rows">
      <tbody>
        {rows.map((order, at) => (
          <tr key={at} class={order.side === "BUY" ? "bid" : "ask"}>
            <td>{order.side === "BUY" ? "bid" : "ask"}</td>
            <td>{priceText(order.price)}</td>
            <td>{amountText(Number(order.remaining))}</td>
            <td class="muted">{order.state}</td>
            <td class="muted">{(order.ageMs / 1000).toFixed(0)} s</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fills({ panel }: { readonly panel: StrategyPanelSnapshot }) {
  if (panel.fills.length === 0) return <p class="muted">none yet</p>;
  return (
    <table class="rows">
      <tbody>
        {panel.fills.slice(0, 14).map((fill, at) => (
          <tr key={at} class={fill.side === "BUY" ? "bid" : "ask"}>
            <td class="muted">{timeText(fill.timeMs)}</td>
            <td>{fill.side === "BUY" ? "bought" : "sold"}</td>
            <td>{amountText(Number(fill.quantity))}</td>
            <td>{priceText(Number(fill.price))}</td>
            <td class="muted">{fill.isMaker ? "maker" : "taker"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
