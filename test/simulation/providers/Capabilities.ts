/** Capabilities and guarantees of a provider, drawn for each run. */
import { Duration } from "effect"
import type { Promised } from "../../../src/providers/port/Provider.ts"
import type { SimulationEnvironment } from "../world/SimulationEnvironment.ts"

export interface Capabilities {
  readonly honours: Promised
  readonly refundsHonour: Promised | undefined
  readonly provesAbsence: Promised
  /** Signed callbacks are believed; unsigned ones cause an enquiry. */
  readonly signs: boolean
  /** Naming of a payment in callbacks. */
  readonly callsBackBy: "reference" | "its own id"
  /** Whether answers contain the provider's id. */
  readonly tellsId: boolean
  readonly otp: boolean
  readonly cancels: boolean
  readonly refunds: boolean
  readonly resumes: boolean
  /** Whether reports contain amounts. */
  readonly counts: boolean
  /** Reports each transfer by id, or totals by kind. */
  readonly tells: "each" | "totals"
  /** Whether enquiries repeat the customer's instructions. */
  readonly repeatsInstructions: boolean
  /** Answer to a known reference: the order, or a refusal of the repetition. */
  readonly repeats: "told again" | "refused"
}

const promised = (
  chance: SimulationEnvironment["chance"],
  always: number,
  never: number,
  forATime: Duration.Duration,
  purpose: string
) => {
  const drawn = chance.weighed({ always, never, "for a time": 1 }, purpose)
  return drawn === "for a time" ? forATime : drawn === "always"
}

export const drawCapabilities = ({ chance, focus }: SimulationEnvironment, name: string): Capabilities => {
  const likely = (share: number, what: string) => chance.happens(share, `${name} ${what}`)
  return {
    honours: promised(chance, 4, 4, Duration.minutes(2), `${name} honours`),
    refundsHonour: likely(0.3, "another promise") ? likely(0.5, "refunds honour") : undefined,
    provesAbsence: promised(chance, 5, 3, Duration.minutes(10), `${name} proves`),
    signs: likely(0.7, "signs"),
    callsBackBy: likely(0.6, "by reference") ? "reference" : "its own id",
    tellsId: likely(0.85, "tells its id"),
    otp: likely(0.6, "otp"),
    cancels: likely(0.6, "cancels"),
    refunds: likely(0.85, "refunds"),
    resumes: likely(0.5, "resumes"),
    counts: likely(0.5, "counts"),
    tells: likely(0.25, "tells totals") ? "totals" : "each",
    repeatsInstructions: likely(0.5, "reminds"),
    repeats: likely(0.3, "refuses repetitions") ? "refused" : "told again",
    ...focus.can
  }
}
