import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { PATIENCE } from "../support/patience.ts";
import { readPage, type PageReading } from "./read-page.ts";

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly isPhone: boolean;
  readonly scheme: "light" | "dark";
}

/** The page in a browser window of its own, which collects everything that goes wrong in it. */
export class DashboardPage {
  /** Console errors and warnings, uncaught exceptions, failed requests, and responses of 400 and above. */
  readonly problems: string[] = [];
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
    page.on("console", (message) => {
      const type = message.type();
      if (type !== "error" && type !== "warning") return;
      this.problems.push(`console ${type}: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.problems.push(`uncaught: ${error.message}`));
    page.on("requestfailed", (request) => {
      const { errorText = "" } = request.failure() ?? {};
      // The page itself closes a stream when it looks at another market.
      if (errorText === "net::ERR_ABORTED" && request.url().includes("/stream")) return;
      this.problems.push(`request failed: ${request.url()} ${errorText}`);
    });
    page.on("response", (response) => {
      if (response.status() < 400) return;
      this.problems.push(`response ${response.status()}: ${response.url()}`);
    });
  }

  static async open(browser: Browser, url: string, screen: Screen): Promise<DashboardPage> {
    const context = await browser.newContext({
      viewport: { width: screen.width, height: screen.height },
      colorScheme: screen.scheme,
      isMobile: screen.isPhone,
      hasTouch: screen.isPhone,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE.timeout);
    const dashboard = new DashboardPage(page);
    await page.goto(url);
    return dashboard;
  }

  /** Everything that the tests look at, read at one moment. */
  read(): Promise<PageReading> {
    return this.#page.evaluate(readPage);
  }

  /** Rules of WCAG 2.2 AA that the page breaks, with the elements. */
  async violations(): Promise<readonly string[]> {
    await this.#page.evaluate(axe.source);
    // Further down the bar may cover a part of a control.
    await this.#page.evaluate(() => scrollTo(0, 0));
    const { violations } = await this.#page.evaluate(async () => {
      const engine = Reflect.get(window, "axe") as typeof axe;
      const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
      return engine.run(document, { runOnly: { type: "tag", values: tags } });
    });
    return violations.map(({ id, nodes }) => {
      return `${id}: ${nodes.map(({ target, html }) => `${target.join()} ${html}`).join("; ")}`;
    });
  }

  /** Goes to the part of the page behind `#`. */
  async go(hash: string): Promise<void> {
    await this.#page.evaluate((to) => (location.hash = to), hash);
  }

  async press(name: string): Promise<void> {
    await this.#page.getByRole("button", { name, exact: true }).click();
  }

  async fill(label: string, value: string): Promise<void> {
    await this.#page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Opens or closes a part of the page. */
  async toggle(summary: string): Promise<void> {
    await this.#page.locator("summary").getByText(summary).click();
  }

  /** Fills the confirmation's fields by label, and confirms. */
  async confirm(title: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const dialog = this.#page.getByRole("dialog");
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole("button", { name: title, exact: true }).click();
  }

  /** What the last action came to. */
  async result(): Promise<string> {
    return (await this.#page.locator(".results").textContent()) ?? "";
  }

  async text(): Promise<string> {
    return (await this.#page.locator("body").textContent()) ?? "";
  }

  async logIn(token: string): Promise<void> {
    await this.#page.getByLabel("Access token").fill(token);
    await this.press("Log in");
  }

  /** Goes from control to control by the keyboard, at most this many times, until one has this name; then presses it. */
  async pressByKeyboard(name: string, most = 60): Promise<void> {
    for (let count = 0; count < most; count += 1) {
      await this.#page.keyboard.press("Tab");
      const focused = await this.#page.evaluate(() => document.activeElement?.textContent ?? "");
      if (focused !== name) continue;
      await this.#page.keyboard.press("Enter");
      return;
    }
    throw new Error(`no control ${name} is reached by the keyboard`);
  }

  async setScheme(scheme: "light" | "dark"): Promise<void> {
    await this.#page.emulateMedia({ colorScheme: scheme });
  }

  async setWidth(width: number): Promise<void> {
    await this.#page.setViewportSize({ width, height: this.#page.viewportSize()?.height ?? 800 });
  }
}
