/** Payins whose provider names each transfer by its id, and what the books make of them. */
import { Effect } from "effect"
import type { MovementKind } from "../../../src/domain/Movement.ts"
import { act, type Actable } from "./Acting.ts"
import { itemsOf } from "./ByHand.ts"
import { attemptsOf, callBack, initiate, recordOf } from "./Calls.ts"
import { at, attemptsFor, settlement, suspenseOf } from "./InTheBooks.ts"
import { serveCountry } from "./PaymentServer.ts"
import { byCard } from "./Requests.ts"
import { accepts } from "./ScriptedProvider.ts"

/** One transfer, as its provider names it; the same word again is the same transfer. */
export interface Word {
  readonly kind: MovementKind
  readonly id: string
  readonly amount: number
  readonly currency?: string
}

const word =
  (kind: MovementKind, usual: string) =>
  (amount: number, id = usual, currency?: string): Word => ({
    kind,
    id,
    amount,
    ...(currency === undefined ? {} : { currency })
  })

export const came = word("collection", "c1")
export const refunded = word("refund", "r1")
export const taken = word("reversal", "d1")
export const won = word("reinstatement", "d1")
export const sent = word("disbursement", "t1")
export const cameBack = word("reinstatement", "t1")

export const sum = (amount: number, currency = "KES") => ({ amount: `${amount}.00`, currency })

/** What came back of a transfer that was sent is returned; a dispute that was won leaves the payin completed. */
const stateOf = ({ id, kind }: Word): "completed" | "returned" =>
  kind === "refund" || kind === "reversal" || (kind === "reinstatement" && id.startsWith("t"))
    ? "returned"
    : "completed"

/** What a provider says of a reference, each time as another event: only the ids of its transfers tell that it is the same. */
export const teller = ({ name }: Actable, reference: string) => {
  let told = 0
  return (...words: ReadonlyArray<Word>) =>
    callBack(name, {
      key: `${reference} ${(told += 1)}`,
      reference,
      state: stateOf(words.at(-1)!),
      movements: words.map(({ amount, currency, id, kind }) => ({
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
    const says = teller(provider, reference)
    /** Asks for a refund, and tells what its provider says of it. */
    const refund = (amount: number, state: "completed" | "processing" = "completed") =>
      Effect.gen(function* () {
        provider.will({ refund: accepts({ state }) })
        const { status } = yield* act(payment_id, { action: "refund", amount })
        const part = (yield* attemptsFor(payment_id, "refund")).at(-1)!
        const hears = (word: string) =>
          callBack(provider.name, { key: `${part} ${word}`, reference: part, state: word })
        return { status, hears }
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
