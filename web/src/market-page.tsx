import { useMemo, useState } from "preact/hooks";
import { ActionButtons, useActions } from "./actions.tsx";
import { bookIntent } from "./intents.ts";
import { Fills } from "./fills.tsx";
import { Foreign } from "./foreign.tsx";
import { Ladder } from "./ladder.tsx";
import type { Shown, ShownMarket, ShownRow } from "./live.ts";
import { Log } from "./log.tsx";
import { MarketCharts } from "./market-chart.tsx";
import { Balances, Health, Limits, Money } from "./market-panels.tsx";
import { Orders } from "./orders.tsx";
import { Parameters } from "./parameters.tsx";
import { StateSign } from "./signs.tsx";
import { Story } from "./story.tsx";
import { useChartData } from "./use-chart-data.ts";

/** One strategy in one market. */
export function MarketPage({ shown, name }: { readonly shown: Shown; readonly name: string }) {
  const { start } = useActions();
  const row = shown.rows[name];
  const view = shown.view?.name === name ? shown.view : undefined;
  const chart = useChartData(name, view);
  const [orderId, setOrderId] = useState<string | undefined>(undefined);
  // Drawn only when they change, and not with every update of the stream.
  const fills = useMemo(
    () => <Fills fills={chart.fills} older={chart.older} onStory={setOrderId} />,
    [chart.fills, chart.older],
  );
  const strategy = row?.strategy;
  const parameters = useMemo(
    () => strategy !== undefined && <Parameters strategy={strategy} />,
    [strategy],
  );
  if (row === undefined) {
    return (
      <p>
        This bot has no {name}. <a href="#">Back to the overview</a>
      </p>
    );
  }
  const [base = "base", quote = "quote"] = row.ticker.split("/");
  const tokens = { base, quote };
  return (
    <article class="market">
      <Heading row={row} />
      <ActionButtons scope={row.strategy}>
        <button
          type="button"
          onClick={() => start(bookIntent(row.strategy, row.market, row.ticker))}
        >
          Book a trade
        </button>
      </ActionButtons>
      {view === undefined ? (
        <p class="muted">Waiting for the market…</p>
      ) : (
        <>
          <div class="market-grid">
            <section class="panel charts" aria-label="Charts">
              <h2>Price, own quotes, fills</h2>
              <MarketCharts data={chart} {...tokens} most={maxPosition(view)} />
            </section>
            <section class="panel" aria-label="Book">
              <h2>Book</h2>
              <Ladder view={view} />
            </section>
            <div class="stack">
              <Money view={view} row={row} {...tokens} />
              <Balances view={view} />
            </div>
          </div>
          <Orders view={view} nowMs={shown.nowMs} strategy={row.strategy} onStory={setOrderId} />
          <Foreign shown={shown} market={row.market} />
          {orderId !== undefined && (
            <Story key={orderId} orderId={orderId} onClose={() => setOrderId(undefined)} />
          )}
          <div class="market-pair">
            {fills}
            <div class="stack">
              <Limits view={view} />
              <Health view={view} row={row} />
            </div>
          </div>
          {parameters}
        </>
      )}
      <Log shown={shown} />
    </article>
  );
}

function Heading({ row }: { readonly row: ShownRow }) {
  const { BUY, SELL } = row.reason;
  return (
    <header class="market-head">
      <a href="#">← Overview</a>
      <h2>
        {row.ticker} <small>{row.name}</small>
      </h2>
      <StateSign state={row.state} />
      {row.because !== undefined && <span class="reason">{row.because}</span>}
      {BUY !== undefined && <span class="reason">no bid: {BUY}</span>}
      {SELL !== undefined && <span class="reason">no ask: {SELL}</span>}
    </header>
  );
}

/** In base token; undefined without one in base token. */
function maxPosition({ configured }: ShownMarket): number | undefined {
  const value = configured.find(({ limit }) => limit === "maxPosition")?.value;
  return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value);
}
