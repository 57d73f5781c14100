/**
 * When an account at a provider that gives no verdicts is left alone, and for whom, as a pure state machine. Anybody can
 * send what a provider never answers, so that one organisation's silence speaks for itself alone: its own circuit opens
 * after ten in a row of its own, everybody's after ten in a row of which no organisation counts more than four. Times are
 * milliseconds of one clock; whoever keeps the state asks it. Only dispatches are reported here, never look-ups.
 */
import { Data, Duration } from "effect"
import type { OrgId } from "./Ids.ts"
import { circuitOpensAfter, circuitOpenTime, circuitProbePatience, circuitShare } from "./policies/ProviderPolicies.ts"

export type CircuitState = "closed" | "open" | "half-open"

type Circuit = Data.TaggedEnum<{
  /** Dispatches in a row that ended without a verdict, by whose they were. */
  Closed: { readonly silent: ReadonlyMap<OrgId, number> }
  Open: { readonly until: number }
  /** A dispatch of this organisation is out to find out; after `until` nobody waits for it any more. */
  Probing: { readonly until: number; readonly by: OrgId }
}>

const { $is, $match, Closed, Open, Probing } = Data.taggedEnum<Circuit>()

/** Of one account: everybody's, and of each organisation its own, where it has anything to tell. */
export interface Circuits {
  readonly everybodys: Circuit
  readonly own: ReadonlyMap<OrgId, Circuit>
}

const closed: Circuit = Closed({ silent: new Map() })

export const initialCircuits: Circuits = { everybodys: closed, own: new Map() }

const stateOf = (circuit: Circuit, now: number): CircuitState =>
  circuit._tag === "Closed" ? "closed" : now < circuit.until ? "open" : "half-open"

const ownOf = ({ own }: Circuits, org: OrgId): Circuit => own.get(org) ?? closed

const withOwn = ({ own }: Circuits, org: OrgId, circuit: Circuit): Circuits["own"] => {
  const others = new Map(own)
  if (circuit === closed) others.delete(org)
  else others.set(org, circuit)
  return others
}

/** As this organisation finds it: the worse of everybody's and its own. Without one, as everybody does. */
export const stateAt = (circuits: Circuits, org: OrgId | undefined, now: number): CircuitState => {
  const own = org === undefined ? closed : ownOf(circuits, org)
  const both = [stateOf(circuits.everybodys, now), stateOf(own, now)]
  return both.includes("open") ? "open" : both.includes("half-open") ? "half-open" : "closed"
}

/** For whom it is left alone, or was until somebody finds out whether it answers again. */
export const openFor = ({ everybodys, own }: Circuits): "nobody" | "some" | "everybody" => {
  if (everybodys._tag !== "Closed") return "everybody"
  return Array.from(own.values()).every($is("Closed")) ? "nobody" : "some"
}

export interface Begun {
  readonly circuits: Circuits
  /** Not while one of the two is open, nor beside another probe. */
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
      everybodys: tried(circuits.everybodys),
      own: withOwn(circuits, org, tried(ownOf(circuits, org)))
    },
    admitted: true
  }
}

/** What `begin` admitted was not sent after all: another may try at once. */
export const unsent = (circuits: Circuits, org: OrgId, now: number): Circuits => {
  const released = (circuit: Circuit) =>
    $is("Probing")(circuit) && circuit.by === org ? Open({ until: now }) : circuit
  const [everybodys, own] = [released(circuits.everybodys), released(ownOf(circuits, org))]
  return everybodys === circuits.everybodys && own === ownOf(circuits, org)
    ? circuits
    : { everybodys, own: withOwn(circuits, org, own) }
}

const openedAt = (now: number, times = 1): Circuit => Open({ until: now + times * Duration.toMillis(circuitOpenTime) })

/** One more without a verdict; of one organisation only so many count. */
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

/** A dispatch has ended. A verdict, good or bad, shows that the provider answers: it closes the circuit for everybody. */
export const report = (circuits: Circuits, org: OrgId, hasVerdict: boolean, now: number): Circuits => {
  const own = ownOf(circuits, org)
  if (hasVerdict) {
    const isNews = circuits.everybodys !== closed || own !== closed
    return isNews ? { everybodys: closed, own: withOwn(circuits, org, closed) } : circuits
  }
  // Whose probe for everybody was silent lets the others try first.
  const triedForAll = $is("Probing")(circuits.everybodys) && circuits.everybodys.by === org
  return {
    everybodys: silence(circuits.everybodys, org, circuitShare, now),
    own: withOwn(circuits, org, triedForAll ? openedAt(now, 2) : silence(own, org, circuitOpensAfter, now))
  }
}
