import { readFileSync } from "node:fs";
import path from "node:path";
import { plainJson } from "../base/plain-text.ts";
import { reportDir } from "./web-files.ts";

const script = /<script type="module"[^>]* src="([^"]+)"[^>]*><\/script>/g;
const style = /<link rel="stylesheet"[^>]* href="([^"]+)"[^>]*>/g;
const emptyData = '<script type="application/json" id="data">{}</script>';

/** The page of a report as one file that needs nothing else: scripts, styles and data are in it. */
export async function reportPage(data: unknown): Promise<string> {
  const folder = await reportDir();
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  const scripts: string[] = [];
  const page = read("index.html")
    // The scripts go to the end, behind the data that they read.
    .replace(script, (_, name: string) => {
      scripts.push(`<script type="module">${inScript(read(name))}</script>`);
      return "";
    })
    .replace(style, (_, name: string) => `<style>${read(name)}</style>`)
    .replace(emptyData, () => emptyData.replace("{}", () => dataText(data)));
  return page.replace("</body>", () => `${scripts.join("")}</body>`);
}

/** Nothing in code can end its element: `<` before a slash is only in texts and patterns there, where it may be escaped. */
function inScript(code: string): string {
  return code.replaceAll(/<\/(?=script)/gi, "<\\/");
}

/** JSON without the character that begins a tag, and without invisible characters. */
function dataText(data: unknown): string {
  return plainJson(JSON.stringify(data)).replaceAll("<", "\\u003c");
}
