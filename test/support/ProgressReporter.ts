/** Prints every 10 seconds what runs and how much is left, and starts the longest test files first. */
import { relative } from "node:path"
import { type Reporter, type TestModule, type TestSpecification, BaseSequencer } from "vitest/node"
import measured from "./Durations.json" with { type: "json" }

/** Seconds of a file that Durations.json does not name. */
const USUAL_SECONDS = 0.4

const seconds: Readonly<Record<string, number>> = measured

const expectedSeconds = (file: string): number => seconds[file] ?? USUAL_SECONDS

const of = ({ moduleId }: TestSpecification): number => expectedSeconds(relative(".", moduleId))

export class LongestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return Promise.resolve(files.toSorted((one, other) => of(other) - of(one)))
  }
}

const EVERY_MILLIS = 10_000

const minutes = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`

export default class Progress implements Reporter {
  private readonly running = new Set<string>()
  private begun = 0
  private files = 0
  private doneFiles = 0
  private work = 0
  private doneWork = 0
  private timer: NodeJS.Timeout | undefined

  onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    this.begun = performance.now()
    this.files = specifications.length
    this.work = specifications.reduce((sum, { moduleId }) => sum + expectedSeconds(relative(".", moduleId)), 0)
    this.say(`${this.files} test files`)
    this.timer = setInterval(() => this.report(), EVERY_MILLIS)
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.running.add(relative(".", moduleId))
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    const file = relative(".", moduleId)
    this.running.delete(file)
    this.doneFiles += 1
    this.doneWork += expectedSeconds(file)
  }

  onTestRunEnd(): void {
    clearInterval(this.timer)
  }

  private report(): void {
    const seconds = (performance.now() - this.begun) / 1000
    const left =
      this.doneWork === 0 ? "" : `, about ${minutes((seconds / this.doneWork) * (this.work - this.doneWork))} left`
    this.say(
      `${this.doneFiles} of ${this.files} files done${left}; running ${[...this.running].join(", ") || "the set-up"}`
    )
  }

  private say(line: string): void {
    process.stdout.write(`   ${line}\n`)
  }
}
