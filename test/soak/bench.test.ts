import { it } from "vitest";
import { allCases } from "../../bench/all-cases.ts";
import { longGoals, tryCase } from "../bench/try-case.ts";

const long = (await allCases()).filter(({ goal }) => longGoals.includes(goal));

it.for(long)("$goal: $title", (benchCase) => tryCase(benchCase));
