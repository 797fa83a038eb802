/** What the risk ladder may do, mildest first. */
export const riskSteps = ["warn", "widen", "reduceOnly", "pause", "halt"] as const;

/** A step above `normal`. */
export type RiskRung = (typeof riskSteps)[number];

/** How far the risk ladder has been climbed. */
export type RiskStep = "normal" | RiskRung;

const ranks: Readonly<Record<RiskStep, number>> = {
  normal: 0,
  warn: 1,
  widen: 2,
  reduceOnly: 3,
  pause: 4,
  halt: 5,
};

/** True when `step` is `least` or a harder one. */
export function isAtLeast(step: RiskStep, least: RiskStep): boolean {
  return ranks[step] >= ranks[least];
}

export function harderStep(left: RiskStep, right: RiskStep): RiskStep {
  return ranks[right] > ranks[left] ? right : left;
}
