import type { Browser, Page } from "playwright-core";
import { readPage, type PageReading } from "./read-page.ts";

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly isPhone: boolean;
  readonly scheme: "light" | "dark";
}

/** The dashboard in a browser window of its own, which collects everything that goes wrong in it. */
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
      this.problems.push(`request failed: ${request.url()} ${request.failure()?.errorText ?? ""}`);
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
    const dashboard = new DashboardPage(page);
    await page.goto(url);
    return dashboard;
  }

  /** Everything that the tests look at, read at one moment. */
  read(): Promise<PageReading> {
    return this.#page.evaluate(readPage);
  }

  /** Makes every reason, name and warning on the page end with a long word. */
  async lengthenTexts(): Promise<void> {
    await this.#page.evaluate(() => {
      const word = "y".repeat(400);
      for (const one of document.querySelectorAll(
        ".quote-reason, h2 small, .limits td:nth-child(n + 2), .warnings li",
      )) {
        one.append(document.createTextNode(word));
      }
    });
  }

  async setScheme(scheme: "light" | "dark"): Promise<void> {
    await this.#page.emulateMedia({ colorScheme: scheme });
  }

  async setWidth(width: number): Promise<void> {
    await this.#page.setViewportSize({ width, height: this.#page.viewportSize()?.height ?? 800 });
  }
}
