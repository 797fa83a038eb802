import { describe, expect, it } from "vitest";
import type { RefusalReason } from "../../src/domain/command.ts";
import type { OrderStatus } from "../../src/domain/order.ts";
import {
  cancelReportKindOf,
  cancelReportKinds,
  mergeStatus,
  nextCancelPhase,
  nextStage,
  reportKinds,
  type OrderStage,
  type ReportKind,
} from "../../src/orders/order-machine.ts";

/** Every arrow of the diagram. All other reports leave the stage as it is. */
const arrows: readonly (readonly [OrderStage, ReportKind, OrderStage])[] = [
  ["in-flight", "accepted", "working"],
  ["in-flight", "open", "working"],
  ["in-flight", "refused", "never-placed"],
  ["in-flight", "notSent", "never-placed"],
  ["in-flight", "noResponse", "unknown"],
  ["in-flight", "over", "ended"],
  ["unknown", "accepted", "working"],
  ["unknown", "open", "working"],
  ["unknown", "over", "ended"],
  ["unknown", "absent", "never-placed"],
  ["pending", "open", "working"],
  ["pending", "refused", "never-placed"],
  ["pending", "notSent", "never-placed"],
  ["pending", "absent", "never-placed"],
  ["pending", "over", "ended"],
  ["working", "over", "ended"],
  ["unknown", "lost", "lost"],
  ["pending", "lost", "lost"],
  ["working", "lost", "lost"],
  ["lost", "accepted", "working"],
  ["lost", "open", "working"],
  ["lost", "over", "ended"],
  ["never-placed", "accepted", "working"],
  ["never-placed", "open", "working"],
  ["never-placed", "over", "ended"],
];

const stages = [
  "in-flight",
  "unknown",
  "pending",
  "working",
  "ended",
  "never-placed",
  "lost",
] as const satisfies readonly OrderStage[];

describe("order machine", () => {
  for (const stage of stages) {
    for (const report of reportKinds) {
      const arrow = arrows.find(([from, by]) => from === stage && by === report);
      const target = arrow?.[2] ?? stage;
      it(`${stage} --${report}--> ${target}`, () => {
        expect(nextStage(stage, report)).toBe(target);
      });
    }
  }

  it("leaves the stage unknown without a report only by an absence, queried late enough", () => {
    const silent: readonly ReportKind[] = ["refused", "notSent", "noResponse"];
    for (const report of silent) expect(nextStage("unknown", report)).toBe("unknown");
  });
});

describe("cancel machine", () => {
  it("can make a cancel in every phase, and accepts an acceptance in every phase", () => {
    for (const phase of ["none", "in-flight", "unknown", "accepted", "refused"] as const) {
      expect(nextCancelPhase(phase, "made")).toBe("in-flight");
      expect(nextCancelPhase(phase, "accepted")).toBe("accepted");
    }
  });

  it("allows another cancel only after a certain outcome", () => {
    expect(nextCancelPhase("in-flight", "notSent")).toBe("none");
    expect(nextCancelPhase("in-flight", "busy")).toBe("none");
    expect(nextCancelPhase("in-flight", "stillOpen")).toBe("in-flight");
    for (const phase of ["unknown", "accepted", "refused"] as const) {
      for (const report of cancelReportKinds) {
        // Whether an accepted one took effect is for the venue to show.
        const frees = report === "stillOpen" || (report === "overdue" && phase !== "accepted");
        expect(nextCancelPhase(phase, report) === "none", `${phase} ${report}`).toBe(frees);
      }
    }
  });

  it("distinguishes temporary refusals from refusals of the cancel itself", () => {
    const refused = (reason: RefusalReason) =>
      cancelReportKindOf({ type: "refused", reason, message: "", retryAfterMs: undefined });
    const busy = ["rateLimited", "nonceUsed"] as const;
    expect(busy.map(refused)).toEqual(["busy", "busy"]);
    const final = ["invalid", "unauthorized", "notFound", "unavailable"] as const;
    expect(final.map(refused)).toEqual(["refused", "refused", "refused", "refused"]);
  });
});

describe("status", () => {
  const cases: readonly (readonly [
    OrderStatus | undefined,
    OrderStatus,
    "nothing" | "some" | "all",
    OrderStatus,
  ])[] = [
    [undefined, "NEW", "nothing", "NEW"],
    [undefined, "PENDING_NEW", "nothing", "PENDING_NEW"],
    ["NEW", "PENDING_NEW", "nothing", "NEW"],
    ["PENDING_NEW", "NEW", "nothing", "NEW"],
    ["PARTIALLY_FILLED", "NEW", "some", "PARTIALLY_FILLED"],
    ["NEW", "NEW", "all", "FILLED"],
    ["NEW", "PENDING_CANCEL", "some", "PENDING_CANCEL"],
    ["PARTIALLY_FILLED", "EXPIRED", "some", "EXPIRED"],
    ["CANCELED", "PARTIALLY_FILLED", "some", "CANCELED"],
    ["CANCELED", "FILLED", "all", "CANCELED"],
    ["REJECTED", "NEW", "nothing", "REJECTED"],
  ];
  for (const [known, reported, executed, merged] of cases) {
    it(`${known ?? "nothing"} and ${reported} with ${executed} executed is ${merged}`, () => {
      expect(mergeStatus(known, reported, executed)).toBe(merged);
    });
  }
});
