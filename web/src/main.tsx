import { render } from "preact";
import { App } from "./app.tsx";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./page.css";

const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
