/**
 * When a provider that gives no verdicts is left alone, as a pure state machine. Times are milliseconds of one clock; whoever
 * keeps the state asks it. Only dispatches are reported here, never look-ups.
 */
import { Data, Duration } from "effect"
import { circuitOpensAfter, circuitOpenTime, circuitProbePatience } from "./policies/Providers.ts"

export type CircuitState = "closed" | "open" | "half-open"

export type Circuit = Data.TaggedEnum<{
  /** Dispatches in a row that ended without a verdict. */
  Closed: { readonly silent: number }
  Open: { readonly until: number }
  /** One dispatch is out to find out; after `until` nobody waits for it any more. */
  Probing: { readonly until: number }
}>

const { $match, Closed, Open, Probing } = Data.taggedEnum<Circuit>()

export const initialCircuit: Circuit = Closed({ silent: 0 })

export const stateAt = (circuit: Circuit, now: number): CircuitState =>
  circuit._tag === "Closed" ? "closed" : now < circuit.until ? "open" : "half-open"

export interface Begun {
  readonly circuit: Circuit
  /** Not while the circuit is open, nor beside another probe. */
  readonly admitted: boolean
}

/** A dispatch is about to be sent. */
export const begin = (circuit: Circuit, now: number): Begun => {
  switch (stateAt(circuit, now)) {
    case "closed":
      return { circuit, admitted: true }
    case "open":
      return { circuit, admitted: false }
    case "half-open":
      return { circuit: Probing({ until: now + Duration.toMillis(circuitProbePatience) }), admitted: true }
  }
}

/** A dispatch has ended. A verdict, good or bad, shows that the provider answers: whoever brings it closes the circuit. */
export const report = (circuit: Circuit, hasVerdict: boolean, now: number): Circuit => {
  if (hasVerdict) return initialCircuit
  const opened = Open({ until: now + Duration.toMillis(circuitOpenTime) })
  return $match(circuit, {
    Closed: ({ silent }) => (silent + 1 >= circuitOpensAfter ? opened : Closed({ silent: silent + 1 })),
    // Sent for want of another provider, or before the circuit opened: nothing new.
    Open: () => circuit,
    Probing: () => opened
  })
}
