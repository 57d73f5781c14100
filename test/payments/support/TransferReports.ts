/** Payins whose provider names each transfer by its id, and what the books make of them. */
import { Effect } from "effect"
import type { MovementKind } from "../../../src/domain/Movement.ts"
import { act, type Actable } from "./ActionCalls.ts"
import { itemsOf } from "./OperatorActions.ts"
import { attemptsOf, callBack, initiate, recordOf } from "./PaymentCalls.ts"
import { at, attemptsFor, settlement, suspenseOf } from "./PayinBalances.ts"
import { serveCountry } from "./PaymentServer.ts"
import { byCard } from "./Requests.ts"
import { accepts } from "./ScriptedProvider.ts"

/** One transfer, as its provider names it; a repetition is the same transfer. */
export interface NamedTransfer {
  readonly kind: MovementKind
  readonly id: string
  readonly amount: number
  readonly currency?: string
}

const transfer =
  (kind: MovementKind, usual: string) =>
  (amount: number, id = usual, currency?: string): NamedTransfer => ({
    kind,
    id,
    amount,
    ...(currency === undefined ? {} : { currency })
  })

export const came = transfer("collection", "c1")
export const refunded = transfer("refund", "r1")
export const taken = transfer("reversal", "d1")
export const won = transfer("reinstatement", "d1")
export const sent = transfer("disbursement", "t1")
export const cameBack = transfer("reinstatement", "t1")

export const sum = (amount: number, currency = "KES") => ({ amount: `${amount}.00`, currency })

/**
 * State of a payment after this transfer: a sent transfer that came back is returned; a won dispute leaves the payin
 * completed.
 */
const stateOf = ({ id, kind }: NamedTransfer): "completed" | "returned" =>
  kind === "refund" || kind === "reversal" || (kind === "reinstatement" && id.startsWith("t"))
    ? "returned"
    : "completed"

/** Reports of a provider about a reference, each a new event: only the ids of its transfers show repetitions. */
export const reporter = ({ name }: Actable, reference: string) => {
  let reported = 0
  return (...transfers: ReadonlyArray<NamedTransfer>) =>
    callBack(name, {
      key: `${reference} ${(reported += 1)}`,
      reference,
      state: stateOf(transfers.at(-1)!),
      movements: transfers.map(({ amount, currency, id, kind }) => ({
        kind,
        id: `${reference} ${id}`,
        amount: sum(amount, currency),
        state: "settled"
      }))
    })
}

/** A payin of 1500 at this provider, what is said of it, and where its money is from then on. */
export const payinAt = (provider: Actable, country = "FR") =>
  Effect.gen(function* () {
    yield* serveCountry(country, [provider.name])
    provider.otherwise(accepts())
    const before = { there: yield* at(provider.name), own: yield* settlement }
    const { payment_id } = yield* initiate({ ...byCard(), country })
    const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
    const says = reporter(provider, reference)
    /** Requests a refund, and returns how its provider reports on it. */
    const refund = (amount: number, state: "completed" | "processing" = "completed") =>
      Effect.gen(function* () {
        provider.will({ refund: accepts({ state }) })
        const { status } = yield* act(payment_id, { action: "refund", amount })
        const part = (yield* attemptsFor(payment_id, "refund")).at(-1)!
        const callsBack = (state: string) =>
          callBack(provider.name, { key: `${part} ${state}`, reference: part, state })
        return { status, callsBack }
      })
    const stands = Effect.gen(function* () {
      const { refunded_amount, status } = yield* recordOf(payment_id)
      return {
        has: before.there - (yield* at(provider.name)),
        own: (yield* settlement) - before.own,
        waits: (yield* suspenseOf(payment_id)).toSorted(),
        items: (yield* itemsOf(payment_id)).map(({ kind }) => kind),
        status,
        refunded: refunded_amount
      }
    })
    return { payment_id, reference, says, refund, stands }
  })

export interface Scenario {
  readonly name: string
  readonly transfers: ReadonlyArray<NamedTransfer>
  /** Final state in every order; a payin of which a full reversal is reported first has failed. */
  readonly inAnyOrder?: true
  /** Final state when all was reported in this order. */
  readonly ends: {
    readonly has: number
    readonly own: number
    readonly waits: ReadonlyArray<string>
    readonly status: string
    readonly refunded: number
  }
}

export const paid = came(1500)

/** Transfers that a provider may report for a payin of 1500, and the final state. */
export const payinScenarios: ReadonlyArray<Scenario> = [
  {
    name: "a part that is taken back",
    inAnyOrder: true,
    transfers: [paid, taken(400)],
    ends: { has: 1100, own: 1500, waits: ["-400.00 KES"], status: "completed", refunded: 400 }
  },
  {
    name: "two partial disputes of one amount",
    inAnyOrder: true,
    transfers: [paid, taken(400), taken(400, "d2")],
    ends: { has: 700, own: 1500, waits: ["-800.00 KES"], status: "completed", refunded: 800 }
  },
  {
    name: "a refund by hand, and a dispute of the same amount",
    inAnyOrder: true,
    transfers: [paid, refunded(500), taken(500)],
    ends: { has: 500, own: 1500, waits: ["-1000.00 KES"], status: "completed", refunded: 1000 }
  },
  {
    name: "two refunds by hand of one amount, and a dispute of it that was won",
    transfers: [paid, refunded(500), refunded(500, "r2"), taken(500), won(500)],
    ends: { has: 500, own: 1500, waits: ["-1000.00 KES"], status: "refunded", refunded: 1000 }
  },
  {
    name: "parts that are all of it",
    transfers: [paid, taken(400), taken(1100, "d2")],
    ends: { has: 0, own: 1500, waits: ["-1500.00 KES"], status: "refunded", refunded: 1500 }
  },
  {
    name: "a part that was taken and won",
    inAnyOrder: true,
    transfers: [paid, taken(400), won(400)],
    ends: { has: 1500, own: 1500, waits: [], status: "completed", refunded: 0 }
  },
  {
    name: "all of it taken and won",
    transfers: [paid, taken(1500), won(1500)],
    ends: { has: 1500, own: 1500, waits: [], status: "refunded", refunded: 0 }
  },
  {
    name: "a second dispute of the whole after the first was won",
    transfers: [paid, taken(1500), won(1500), taken(1500, "d2")],
    ends: { has: 0, own: 1500, waits: ["-1500.00 KES"], status: "refunded", refunded: 1500 }
  },
  {
    name: "two disputes of the whole, both won",
    transfers: [paid, taken(1500), taken(1500, "d2"), won(1500), won(1500, "d2")],
    ends: { has: 1500, own: 1500, waits: [], status: "refunded", refunded: 0 }
  },
  {
    name: "more than was paid",
    transfers: [paid, taken(1600)],
    ends: { has: -100, own: 1500, waits: ["-1600.00 KES"], status: "refunded", refunded: 1500 }
  },
  {
    name: "what is given back without having been taken",
    inAnyOrder: true,
    transfers: [paid, won(400)],
    ends: { has: 1900, own: 1500, waits: ["400.00 KES"], status: "completed", refunded: 0 }
  },
  {
    name: "what is taken in another currency",
    inAnyOrder: true,
    transfers: [paid, taken(10, "d1", "EUR")],
    ends: { has: 1500, own: 1500, waits: ["-10.00 EUR"], status: "completed", refunded: 0 }
  },
  {
    name: "too little, all of it taken back",
    transfers: [came(900), taken(900)],
    ends: { has: 0, own: 0, waits: [], status: "failed", refunded: 0 }
  },
  {
    name: "a payment that was paid twice",
    inAnyOrder: true,
    transfers: [paid, came(1500, "c2")],
    ends: { has: 3000, own: 1500, waits: ["1500.00 KES"], status: "completed", refunded: 0 }
  },
  {
    name: "a surplus that its provider gave back",
    inAnyOrder: true,
    transfers: [came(1600), refunded(100)],
    ends: { has: 1500, own: 1500, waits: [], status: "completed", refunded: 0 }
  }
]
