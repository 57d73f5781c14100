/** How long the long test files take: they begin first, so that no process is left alone with one at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node"
import measured from "./Durations.json" with { type: "json" }
import { relative } from "node:path"

/** A file that is not named takes about as long as the rest of them. */
const USUAL_SECONDS = 0.4

const seconds: Readonly<Record<string, number>> = measured

export const expectedSeconds = (file: string): number => seconds[file] ?? USUAL_SECONDS

const of = ({ moduleId }: TestSpecification): number => expectedSeconds(relative(".", moduleId))

export class LongestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return Promise.resolve(files.toSorted((one, other) => of(other) - of(one)))
  }
}
