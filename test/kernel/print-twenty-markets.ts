import { twentyMarkets } from "./twenty-markets.ts";

/** Prints how twenty markets share rate budgets: `node --conditions=touchline-source test/kernel/print-twenty-markets.ts`. */
const percent = (share: number | undefined): string => `${((share ?? 0) * 100).toFixed(0)} %`;

for (const perSecond of [20, 8]) {
  const { quoted, warnings, commands } = twentyMarkets(perSecond);
  const sides = quoted.flatMap(({ bid, ask }) => [bid, ask]);
  const line = [
    `${perSecond}/s, ${commands} commands:`,
    `first market ${percent(quoted[0]?.bid)} / ${percent(quoted[0]?.ask)},`,
    `last ${percent(quoted.at(-1)?.bid)} / ${percent(quoted.at(-1)?.ask)},`,
    `${quoted.filter(({ bid, ask }) => bid + ask < 0.01).length} markets never quoted,`,
    `worst side ${percent(Math.min(...sides))}, mean ${percent(sides.reduce((sum, one) => sum + one, 0) / sides.length)}`,
  ];
  process.stdout.write(`${line.join(" ")}\n`);
  for (const warning of new Set(warnings)) process.stdout.write(`  ${warning}\n`);
}
