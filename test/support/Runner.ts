/** Vitest's runner without import durations, which it would report again for each file of a process. */
import { VitestTestRunner } from "vitest/runners"

export default class Runner extends VitestTestRunner {
  override getImportDurations() {
    return {}
  }
}
