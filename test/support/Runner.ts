/**
 * Vitest's own, without the times that imports took: it would tell those of every module that a process has loaded once
 * more for each file.
 */
import { VitestTestRunner } from "vitest/runners"

export default class Runner extends VitestTestRunner {
  override getImportDurations() {
    return {}
  }
}
