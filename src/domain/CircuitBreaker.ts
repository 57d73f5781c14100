/**
 * Circuit breaker of a provider account, as a pure state machine.
 * - One organisation's circuit opens after ten of its own timeouts in a row.
 * - The shared circuit opens after ten in a row. One organisation counts for four of them at most, so it cannot cause
 *   an outage for the others.
 *
 * Times are milliseconds of the caller's clock. Only dispatches are reported here, never look-ups.
 */
import { Data, Duration } from "effect"
import type { OrgId } from "./Ids.ts"
import { circuitOpensAfter, circuitOpenTime, circuitProbePatience, circuitShare } from "./policies/ProviderPolicies.ts"

export type CircuitState = "closed" | "open" | "half-open"

type Circuit = Data.TaggedEnum<{
  /** Dispatches in a row without a definite answer, by organisation. */
  Closed: { readonly silent: ReadonlyMap<OrgId, number> }
  Open: { readonly until: number }
  /** A probe of this organisation is under way; after `until` it is given up. */
  Probing: { readonly until: number; readonly by: OrgId }
}>

const { $is, $match, Closed, Open, Probing } = Data.taggedEnum<Circuit>()

/** Circuits of one account: the shared one, and those of organisations with failures. */
export interface Circuits {
  readonly shared: Circuit
  readonly byOrganization: ReadonlyMap<OrgId, Circuit>
}

const closed: Circuit = Closed({ silent: new Map() })

export const initialCircuits: Circuits = { shared: closed, byOrganization: new Map() }

const stateOf = (circuit: Circuit, now: number): CircuitState =>
  circuit._tag === "Closed" ? "closed" : now < circuit.until ? "open" : "half-open"

const circuitOf = ({ byOrganization }: Circuits, org: OrgId): Circuit => byOrganization.get(org) ?? closed

const withCircuitOf = ({ byOrganization }: Circuits, org: OrgId, circuit: Circuit): Circuits["byOrganization"] => {
  const others = new Map(byOrganization)
  if (circuit === closed) others.delete(org)
  else others.set(org, circuit)
  return others
}

/** State for one organisation: the worse of the shared and its own. Without an organisation: the shared one. */
export const stateAt = (circuits: Circuits, org: OrgId | undefined, now: number): CircuitState => {
  const own = org === undefined ? closed : circuitOf(circuits, org)
  const both = [stateOf(circuits.shared, now), stateOf(own, now)]
  return both.includes("open") ? "open" : both.includes("half-open") ? "half-open" : "closed"
}

/** For which organisations the circuit is open or half-open. */
export const openFor = ({ shared: everybodys, byOrganization }: Circuits): "nobody" | "some" | "everybody" => {
  if (everybodys._tag !== "Closed") return "everybody"
  return Array.from(byOrganization.values()).every($is("Closed")) ? "nobody" : "some"
}

export interface Begun {
  readonly circuits: Circuits
  /** False while one of the two circuits is open, or beside another probe. */
  readonly admitted: boolean
}

/** A dispatch is about to be sent. */
export const begin = (circuits: Circuits, org: OrgId, now: number): Begun => {
  const state = stateAt(circuits, org, now)
  if (state !== "half-open") return { circuits, admitted: state === "closed" }
  const probing = Probing({ until: now + Duration.toMillis(circuitProbePatience), by: org })
  const tried = (circuit: Circuit) => (circuit._tag === "Closed" ? circuit : probing)
  return {
    circuits: {
      shared: tried(circuits.shared),
      byOrganization: withCircuitOf(circuits, org, tried(circuitOf(circuits, org)))
    },
    admitted: true
  }
}

/** Releases an admitted dispatch that was not sent: another may try at once. */
export const unsent = (circuits: Circuits, org: OrgId, now: number): Circuits => {
  const released = (circuit: Circuit) =>
    $is("Probing")(circuit) && circuit.by === org ? Open({ until: now }) : circuit
  const [everybodys, own] = [released(circuits.shared), released(circuitOf(circuits, org))]
  return everybodys === circuits.shared && own === circuitOf(circuits, org)
    ? circuits
    : { shared: everybodys, byOrganization: withCircuitOf(circuits, org, own) }
}

const openedAt = (now: number, times = 1): Circuit => Open({ until: now + times * Duration.toMillis(circuitOpenTime) })

/** Counts one more dispatch without a definite answer; of one organisation at most `share` count. */
const silence = (circuit: Circuit, org: OrgId, share: number, now: number): Circuit =>
  $match(circuit, {
    Closed: ({ silent }) => {
      const all = new Map(silent).set(org, Math.min(share, (silent.get(org) ?? 0) + 1))
      const counted = Array.from(all.values()).reduce((sum, count) => sum + count, 0)
      return counted >= circuitOpensAfter ? openedAt(now) : Closed({ silent: all })
    },
    // Sent for want of another provider, or before the circuit opened: nothing new.
    Open: () => circuit,
    Probing: ({ by }) => (by === org ? openedAt(now) : circuit)
  })

/** Records the end of a dispatch. Any definite answer closes the shared circuit. */
export const report = (circuits: Circuits, org: OrgId, isAnswered: boolean, now: number): Circuits => {
  const own = circuitOf(circuits, org)
  if (isAnswered) {
    const isNews = circuits.shared !== closed || own !== closed
    return isNews ? { shared: closed, byOrganization: withCircuitOf(circuits, org, closed) } : circuits
  }
  // An organisation whose shared probe timed out lets the others try first.
  const triedForAll = $is("Probing")(circuits.shared) && circuits.shared.by === org
  return {
    shared: silence(circuits.shared, org, circuitShare, now),
    byOrganization: withCircuitOf(
      circuits,
      org,
      triedForAll ? openedAt(now, 2) : silence(own, org, circuitOpensAfter, now)
    )
  }
}
