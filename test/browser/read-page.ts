/** What a person sees on the page, as text and numbers. */
export interface PageReading {
  readonly title: string;
  /** Beside the bot's name: whether it quotes, or how old the figures are. */
  readonly status: string;
  /** Whether the figures are dimmed as out of date. */
  readonly isDimmed: boolean;
  readonly mode: string;
  readonly problems: readonly string[];
  /** Rows of the overview by name, with the text of each column. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly totals: string;
  readonly buttons: readonly string[];
  /** Side and price of each row under "Own orders". */
  readonly ownOrders: readonly string[];
  /** Prices of the book's levels that are marked as partly ours. */
  readonly ownLevels: readonly string[];
  readonly levels: number;
  readonly fills: readonly string[];
  /** Figures of a market, by their name. */
  readonly facts: Readonly<Record<string, string>>;
  readonly charts: readonly ChartReading[];
  /** Of the page's background, from 0 (black) to 1 (white). */
  readonly luminance: number;
  /** The width that the content takes. More than the window's means horizontal scrolling. */
  readonly contentWidth: number;
  readonly contentHeight: number;
}

export interface ChartReading {
  /** Changes with every pixel. */
  readonly fingerprint: number;
  /** Pixels in the page's colours, by the name of the colour. */
  readonly ink: Readonly<Record<"text" | "bid" | "ask" | "accent", number>>;
}

/** Runs in the browser, so it uses nothing from outside its own body. */
export function readPage(): PageReading {
  const textOf = (element: Element | null | undefined) => element?.textContent?.trim() ?? "";
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const cells = (row: Element) => [...row.querySelectorAll("td")].map(textOf);
  const rowsOf = (label: string) => all(`[aria-label="${label}"] tbody tr:not(.space)`);

  // Reading from the page's own canvases would make the browser warn about slow reads.
  const scratch = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (scratch === null) throw new Error("the browser draws nothing");
  const pixelsOf = (chart: HTMLCanvasElement) => {
    scratch.canvas.width = chart.width;
    scratch.canvas.height = chart.height;
    scratch.drawImage(chart, 0, 0);
    return scratch.getImageData(0, 0, chart.width, chart.height).data;
  };
  /** Any CSS colour as red, green, blue and alpha, each up to 255. */
  const rgba = (color: string): readonly number[] => {
    scratch.clearRect(0, 0, 1, 1);
    scratch.fillStyle = color;
    scratch.fillRect(0, 0, 1, 1);
    return [...scratch.getImageData(0, 0, 1, 1).data];
  };
  const luminanceOf = (color: string) => {
    const [red = 0, green = 0, blue = 0] = rgba(color)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const rootStyle = getComputedStyle(document.documentElement);
  const palette = (["text", "bid", "ask", "accent"] as const).map(
    (name) => [name, rgba(rootStyle.getPropertyValue(`--${name}`))] as const,
  );
  const readChart = (chart: HTMLCanvasElement): ChartReading => {
    const ink = { text: 0, bid: 0, ask: 0, accent: 0 };
    let fingerprint = 0;
    const data = pixelsOf(chart);
    for (let at = 0; at < data.length; at += 4) {
      const alpha = data[at + 3] ?? 0;
      if (alpha === 0) continue;
      for (let part = 0; part < 4; part += 1) {
        fingerprint = (Math.imul(fingerprint, 31) + (data[at + part] ?? 0) + at) | 0;
      }
      if (alpha < 100) continue;
      for (const [name, color] of palette) {
        const isNear = [0, 1, 2].every(
          (part) => Math.abs((data[at + part] ?? 0) - (color[part] ?? 0)) < 12,
        );
        if (isNear) ink[name] += 1;
      }
    }
    return { fingerprint, ink };
  };

  return {
    title: document.title,
    status: textOf(document.querySelector(".status")),
    isDimmed: document.querySelector("main.stale") !== null,
    mode: textOf(document.querySelector(".mode")),
    problems: all(".problems li").map(textOf),
    rows: Object.fromEntries(
      all(".overview-table tbody tr").map((row) => [
        textOf(row.querySelector("th")),
        Object.fromEntries(
          [...row.querySelectorAll("td[data-title]")].map((cell) => [
            cell.getAttribute("data-title") ?? "",
            textOf(cell),
          ]),
        ),
      ]),
    ),
    totals: textOf(document.querySelector(".overview-table tfoot")),
    buttons: all("button").map(textOf),
    ownOrders: rowsOf("Own orders").map((row) => cells(row).slice(0, 2).join(" ")),
    ownLevels: all(".ladder tr.own").map((row) => cells(row)[0] ?? ""),
    levels: all(".ladder tr.bid, .ladder tr.ask").length,
    fills: rowsOf("Fills").map((row) => cells(row).join(" ")),
    facts: Object.fromEntries(
      all(".facts-list > div").map((fact) => [
        textOf(fact.querySelector("dt")),
        textOf(fact.querySelector("dd")),
      ]),
    ),
    charts: [...document.querySelectorAll("canvas")].map(readChart),
    luminance: luminanceOf(getComputedStyle(document.body).backgroundColor),
    contentWidth: document.documentElement.scrollWidth,
    contentHeight: document.documentElement.scrollHeight,
  };
}
