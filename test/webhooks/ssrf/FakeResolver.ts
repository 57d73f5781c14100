/** A resolver with answers that a test sets and may change. */
import { Effect } from "effect"
import { type NameLookup, NameUnresolved } from "../../../src/webhooks/ssrf/Dns.ts"

export interface Names extends NameLookup {
  /** The last answer stays. */
  readonly answer: (name: string, ...answers: ReadonlyArray<ReadonlyArray<string>>) => void
  readonly asked: ReadonlyArray<string>
}

export const makeNames = (): Names => {
  const answers = new Map<string, Array<ReadonlyArray<string>>>()
  const asked: Array<string> = []
  return {
    asked,
    answer: (name, ...all) => void answers.set(name, [...all]),
    lookup: (name) =>
      Effect.suspend(() => {
        asked.push(name)
        const left = answers.get(name) ?? []
        const next = left.length > 1 ? left.shift() : left[0]
        return next === undefined ? Effect.fail(new NameUnresolved({ reason: "ENOTFOUND" })) : Effect.succeed(next)
      })
  }
}
