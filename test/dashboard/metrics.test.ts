import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AccessTokens } from "../../src/dashboard/access-tokens.ts";
import { metricsText } from "../../src/dashboard/bot-metrics.ts";
import { startDashboard } from "../../src/dashboard/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { driver, observed } from "./observed.ts";
import { pageSettings } from "./page-settings.ts";

const root = new URL("../../", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), "utf8");
const rules = read("config/monitoring/alerts.yaml");
const hasPrometheus = spawnSync("promtool", ["--version"]).error === undefined;
const isRequired = process.env["CI"] === "true";

const data = () => ({
  snapshot: observed().snapshot(driver, 0),
  overview: () => undefined,
  ageMs: 5,
  log: [],
  strategies: [],
  fromJournal: () => Promise.reject(new Error("no journal")),
});

/** Names of metrics in a text, histograms by their own name. */
function namesIn(text: string): string[] {
  const found = text.match(/\btouchline_[a-z_]+/g) ?? [];
  return [
    ...new Set(found.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, "_seconds"))),
  ].sort();
}

interface PrometheusResponse {
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

describe("the metrics of a bot", () => {
  it("have its figures, by strategy and market", async () => {
    const text = await metricsText(data(), "1.2.3");
    for (const line of [
      'touchline_info{version="1.2.3"} 1',
      "touchline_ready 0",
      'touchline_position_base{strategy="maker",market="1_2"} 0.3',
      'touchline_uptime_ratio{strategy="maker",market="1_2",kind="obligation"} 0.5',
      'touchline_fills_total{strategy="maker",market="1_2"} 3',
      'touchline_volume_quote_total{strategy="maker",market="1_2"} 599.7',
      'touchline_quoted{strategy="maker",market="1_2",side="SELL"} 0',
      'touchline_standstill{strategy="maker",market="1_2",kind="paused"} 1',
      'touchline_order_round_trip_seconds_bucket{le="+Inf"} 1',
      "touchline_order_round_trip_seconds_count 1",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  it("say that it is starting before its first update", async () => {
    expect(await metricsText(undefined, "1.2.3")).toContain("touchline_ready 0");
  });

  it("are all in docs/metrics.md, and the alerts and the dashboard use no others", async () => {
    const names = namesIn(await metricsText(data(), "1.2.3"));
    expect(namesIn(read("docs/metrics.md"))).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(namesIn(rules)));
    const shown = read("config/monitoring/grafana-dashboard.json");
    expect(names).toEqual(expect.arrayContaining(namesIn(shown)));
  });
});

describe.skipIf(!hasPrometheus && !isRequired)(
  "a real Prometheus (skipped without promtool)",
  () => {
    it("accepts the alert rules and the metrics", async () => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, "alerts.yaml"), rules);
      const checked = spawnSync("promtool", ["check", "rules", path.join(folder, "alerts.yaml")]);
      expect(checked.stderr.toString()).toBe("");
      const input = await metricsText(data(), "1.2.3");
      const metrics = spawnSync("promtool", ["check", "metrics"], { input });
      expect(metrics.stderr.toString()).toBe("");
    });

    it("scrapes a bot with its token, and evaluates an alert on it", async () => {
      const folder = temporaryFolder();
      const settings = pageSettings();
      const token = { name: "prometheus", role: "read", createdMs: 1, expiresMs: null } as const;
      const secret = new AccessTokens(settings.journal).create(token);
      const snapshot = observed().snapshot(driver, 0);
      const page = await startDashboard({ ...settings, snapshot: () => snapshot });
      onTestFinished(() => page.close());
      const config = read("config/monitoring/prometheus.yaml");
      expect(config).toContain("127.0.0.1:8718");
      const target = new URL(page.url).host;
      const quick = "global: { scrape_interval: 1s, evaluation_interval: 1s }\n";
      const text = quick + config.replace("127.0.0.1:8718", target).replace("5s", "1s");
      writeFileSync(path.join(folder, "prometheus.yaml"), text);
      writeFileSync(path.join(folder, "alerts.yaml"), rules);
      writeFileSync(path.join(folder, "touchline.token"), secret);
      mkdirSync(path.join(folder, "data"));
      const address = `127.0.0.1:${await freePort()}`;
      const prometheus = spawn("prometheus", [
        `--config.file=${path.join(folder, "prometheus.yaml")}`,
        `--storage.tsdb.path=${path.join(folder, "data")}`,
        `--web.listen-address=${address}`,
      ]);
      onTestFinished(() => void prometheus.kill("SIGKILL"));
      const query = `http://${address}/api/v1/query?query=`;
      const valueOf = async (expression: string): Promise<unknown> => {
        const response = await fetch(query + encodeURIComponent(expression)).catch(() => undefined);
        const { data: found } = ((await response?.json()) ?? {}) as PrometheusResponse;
        return found?.result[0]?.value[1];
      };
      await expect.poll(() => valueOf("touchline_fills_total")).toBe("3");
      const alert = 'ALERTS{alertname="TouchlineNotReady"}';
      await expect.poll(() => valueOf(alert)).toBe("1");
    });
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
