/** One thing that the demo shows, as it is told to people and to programs. */
import type { Expected } from "./Receiver.ts"

export interface Shown {
  /** What was done and what came of it, in a sentence. */
  readonly what: string
  readonly ids: Readonly<Record<string, string>>
  /** To look at it. */
  readonly curl: string | null
  /** The webhooks that must come of it. */
  readonly events?: ReadonlyArray<Expected>
}

export interface Step extends Pick<Shown, "what" | "ids" | "curl"> {
  readonly step: string
  readonly ok: boolean
}

const LOOK = "      "

export const textOf = ({ curl, ids, ok, step, what }: Step): string => {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`)
  const about = named.length === 0 ? "" : ` (${named.join(", ")})`
  return [`${ok ? "ok  " : "FAIL"}  ${step}: ${what}${about}`, ...(curl === null ? [] : [`${LOOK}${curl}`])].join("\n")
}
