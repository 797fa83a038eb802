import "uplot/dist/uPlot.min.css";
import "../../src/style.css";
import "./report.css";
import { render } from "preact";
import type { ReportData } from "../../../src/backtest/report-data.ts";
import { Report } from "./report.tsx";

const app = document.getElementById("app");
const data = document.getElementById("data")?.textContent;
// The page and its data are written by the same version, so nothing is checked here.
const read = (text: string): ReportData => JSON.parse(text);
if (app !== null && data) {
  app.replaceChildren();
  render(<Report data={read(data)} />, app);
}
