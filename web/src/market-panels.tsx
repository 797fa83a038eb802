import { amountText, moneyText, priceText, shareText } from "./format.ts";
import type { ShownMarket, ShownRow } from "./live.ts";
import { LimitUsed } from "./signs.tsx";

interface Tokens {
  readonly base: string;
  readonly quote: string;
}

export function Money(props: { readonly view: ShownMarket; readonly row: ShownRow } & Tokens) {
  const { view, row, base, quote } = props;
  const { position, run, markouts } = view;
  const { parts } = run;
  return (
    <section class="panel">
      <h2>PnL and position</h2>
      <dl class="facts-list">
        <Fact name={`Position, ${base}`} value={amountText(Number(position.base))} />
        <Fact
          name={`Average price, ${quote}`}
          value={
            position.averagePrice === undefined ? "–" : priceText(Number(position.averagePrice))
          }
        />
        <Fact name={`PnL today, ${quote}`} value={moneyText(position.dayPnl)} />
        <Fact
          name={`PnL since the position began, ${quote}`}
          value={moneyText(position.totalPnl)}
        />
        <Fact name="of it realised" value={moneyText(position.realisedPnl)} />
        <Fact name="of it unrealised" value={moneyText(position.unrealisedPnl)} />
        <Fact name={`PnL of this run, ${quote}`} value={moneyText(run.pnl)} />
        <Fact name="of it from the spread" value={moneyText(parts?.spread)} />
        <Fact name="of it from inventory" value={moneyText(parts?.inventory)} />
        <Fact name="of it fees" value={moneyText(parts?.fees)} />
        <Fact name={`Volume of this run, ${quote}`} value={amountText(Number(run.volume))} />
        <Fact
          name="Quoted, bid / ask"
          value={`${shareText(row.uptime?.bid)} / ${shareText(row.uptime?.ask)}`}
        />
        {row.uptime?.obligation !== undefined && (
          <Fact name="Obligation kept" value={shareText(row.uptime.obligation)} />
        )}
      </dl>
      <h3 title="How the mid moved after this run's fills, from their prices; below 0 they lost money">
        Markouts, bps
      </h3>
      <dl class="facts-list">
        {Object.values(markouts).map(({ horizonMs, bps, error, orders }) => (
          <Fact
            key={horizonMs}
            name={`after ${horizonMs / 1000} s`}
            value={
              bps === undefined
                ? "–"
                : `${bps.toFixed(2)}${error === undefined ? "" : ` ± ${error.toFixed(2)}`} (${orders} orders)`
            }
          />
        ))}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Balances({ view: { balances } }: { readonly view: ShownMarket }) {
  return (
    <section class="panel">
      <h2>Balances</h2>
      {balances.length === 0 && <p class="muted">Not listed yet.</p>}
      <dl class="facts-list">
        {balances.map(({ symbol, unlocked, locked }) => (
          <Fact
            key={symbol}
            name={symbol}
            value={`${amountText(Number(unlocked))} free, ${amountText(Number(locked))} in orders`}
          />
        ))}
      </dl>
    </section>
  );
}

const sources = {
  set: "configuration",
  default: "default",
  derived: "derived from balances and mid",
} as const;

export function Limits({ view: { limits, configured, denied } }: { readonly view: ShownMarket }) {
  return (
    <section class="panel">
      <h2>Limits</h2>
      <ul class="plain">
        {limits.map((limit) => (
          <li key={limit.limit}>
            <LimitUsed limit={limit} /> <span class="muted">{limit.text}</span>
          </li>
        ))}
        {denied.map(({ rule, count, first }) => (
          <li key={rule}>
            denied by {rule}: {count}, <span class="muted">first {first}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>All {configured.length} limits</summary>
        <table class="rows">
          <thead>
            <tr>
              <th>Limit</th>
              <th>Of</th>
              <th>Value</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {configured.map(({ limit, of, value, source }) => (
              <tr key={`${limit} ${of}`}>
                <td>{limit}</td>
                <td>{of ?? "the bot"}</td>
                <td>{value}</td>
                <td class="muted">{sources[source]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

export function Health({ view, row }: { readonly view: ShownMarket; readonly row: ShownRow }) {
  const { counts, calls, described } = view;
  return (
    <section class="panel">
      <h2>Health</h2>
      <dl class="facts-list">
        <Fact name="Spread of the book, bps" value={row.spreadBps?.toFixed(1) ?? "–"} />
        <Fact
          name="Orders placed / kept / replaced / canceled"
          value={[counts.placed, counts.kept, counts.replaced, counts.canceled].join(" / ")}
        />
        <Fact name="Rejected" value={String(counts.rejected)} />
        {calls.map(({ hook, p50Us, p99Us, maxUs }) => (
          <Fact
            key={hook}
            name={`${hook}, median / p99 / max, µs`}
            value={[p50Us, p99Us, maxUs].map((us) => us.toFixed(0)).join(" / ")}
          />
        ))}
        {view.sources.map(({ name, bid, ask, ageMs, problem }) => (
          <Fact
            key={name}
            name={`Source ${name}`}
            value={problem ?? `${bid ?? "–"} / ${ask ?? "–"}, ${ageMs ?? "–"} ms old`}
          />
        ))}
        {Object.entries(described).map(([name, value]) => (
          <Fact key={name} name={name} value={String(value)} />
        ))}
      </dl>
    </section>
  );
}
