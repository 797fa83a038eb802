import type {
  PnlText,
  ReplayResult,
  StatisticsFields,
} from "../../../src/backtest/replay-result.ts";
import type { SummaryFields } from "../../../src/metrics/summary.ts";
import { amountText, signedText } from "../../src/format.ts";
import { lengthText } from "./utc-text.ts";

type Figures = StatisticsFields &
  Pick<
    SummaryFields,
    | "fills"
    | "makerFills"
    | "takerFills"
    | "volumeQuote"
    | "uptimeBid"
    | "uptimeAsk"
    | "uptimeObligation"
    | "quotesPlaced"
    | "denied"
  >;

interface TileFacts {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly sign?: number;
}

export function Tiles({ tiles }: { readonly tiles: readonly TileFacts[] }) {
  return (
    <section class="tiles">
      {tiles.map(({ name, value, note, sign = 0 }) => (
        <div key={name} class={sign > 0 ? "tile up" : sign < 0 ? "tile down" : "tile"}>
          <span>{name}</span>
          <b>{value}</b>
          {note !== undefined && <small>{note}</small>}
        </div>
      ))}
    </section>
  );
}

/** What a trader asks first, of one strategy or of a run in one market. */
export function figureTiles(figures: Figures, base: string, quote: string): readonly TileFacts[] {
  const { pnl, maxDrawdown, sharpe, inventoryStatistics: inventory } = figures;
  const tiles: TileFacts[] = [];
  if (pnl !== null) {
    tiles.push(...pnlTiles(`PnL, ${quote}`, pnl, figures.volumeQuote));
  }
  if (maxDrawdown !== null)
    tiles.push({ name: "max drawdown", value: amountText(Number(maxDrawdown)) });
  tiles.push(sharpeTile(sharpe), {
    name: "fills",
    value: String(figures.fills),
    note: `${figures.makerFills} maker, ${figures.takerFills} taker`,
  });
  if (figures.volumeQuote !== null) {
    tiles.push({
      name: `volume, ${quote}`,
      value: amountText(Number(figures.volumeQuote)),
    });
  }
  tiles.push({
    name: "fill ratio",
    value: figures.fillRatio === null ? "–" : `${(figures.fillRatio * 100).toFixed(1)} %`,
    note: "of the quantity placed",
  });
  tiles.push({
    name: "order to trade",
    value: figures.orderToTradeRatio?.toFixed(2) ?? "–",
    note: `commands a fill; ${figures.commandsPerFilledOrder?.toFixed(2) ?? "–"} a filled order`,
  });
  if (inventory !== null) {
    const { mean, min, max, timeAtLimit, halfLifeMs } = inventory;
    const parts = [
      `${amountText(Number(min))} to ${amountText(Number(max))}`,
      ...(halfLifeMs === null ? [] : [`half-life ${lengthText(halfLifeMs)}`]),
      ...(timeAtLimit === null ? [] : [`${(timeAtLimit * 100).toFixed(1)} % at limit`]),
    ];
    const value = amountText(Number(mean));
    tiles.push({ name: `mean position, ${base}`, value, note: parts.join(" · ") });
  }
  const percent = (share: number | null) => (share === null ? "–" : (share * 100).toFixed(1));
  if (figures.uptimeObligation !== null) {
    const value = percent(figures.uptimeObligation);
    tiles.push({ name: "within the obligation, %", value, note: "of the time" });
  }
  tiles.push({
    name: "uptime bid · ask, %",
    value: `${percent(figures.uptimeBid)} · ${percent(figures.uptimeAsk)}`,
    note: `${figures.quotesPlaced} quotes placed`,
  });
  for (const { rule, count, first } of figures.denied) {
    tiles.push({ name: `denied by ${rule}`, value: String(count), note: `first ${first}` });
  }
  return tiles;
}

export function totalTiles({ totals }: Pick<ReplayResult, "totals">): readonly TileFacts[] {
  if (totals === null) return [];
  const { currency, pnl, volume, maxDrawdown, sharpe } = totals;
  return [
    ...pnlTiles(`total PnL, ${currency}`, pnl, volume),
    { name: "max drawdown", value: amountText(Number(maxDrawdown)) },
    sharpeTile(sharpe),
    { name: "volume", value: amountText(Number(volume)) },
  ];
}

/** The PnL and its parts, each with what it is of the volume. */
function pnlTiles(name: string, pnl: PnlText, volume: string | null): readonly TileFacts[] {
  const tile = (title: string, amount: string): TileFacts => {
    const value = Number(amount);
    const bps = (value / Number(volume)) * 10_000;
    return {
      name: title,
      value: `${value > 0 ? "+" : ""}${amountText(value)}`,
      sign: Math.sign(value),
      ...(Number.isFinite(bps) ? { note: `${signedText(bps, 3)} bps of the volume` } : {}),
    };
  };
  return [
    tile(name, pnl.total),
    tile("from the spread", pnl.spread),
    tile("from inventory", pnl.inventory),
    tile("fees", pnl.fees),
  ];
}

function sharpeTile(sharpe: StatisticsFields["sharpe"]): TileFacts {
  const name = "Sharpe ratio, 1 h";
  if (sharpe === null) return { name, value: "–", note: "too short" };
  const { perHour, low, high } = sharpe;
  return {
    name,
    value: perHour.toFixed(2),
    note: `95 %: ${low.toFixed(2)} to ${high.toFixed(2)}`,
  };
}
