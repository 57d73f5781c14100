/** Callback bodies of simulated providers, and how their ports read them. */
import { Effect } from "effect"
import { isAnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Movement } from "../../../src/domain/Movement.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { withMovements } from "../../../src/providers/client/ProviderReplies.ts"
import {
  type CallbackEvent,
  Hint,
  Check,
  NoProof,
  Proof,
  VerifiedReport
} from "../../../src/providers/port/Callback.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"

export interface CallbackPayload {
  readonly key: string
  readonly reference: string | null
  readonly providerPaymentId: string
  readonly state: Report["state"]
  readonly status: string
  readonly movements?: ReadonlyArray<PayloadMovement>
}

type PayloadMovement = Pick<Movement, "kind" | "id" | "state" | "isTotal"> & { readonly amount: PayloadMoney | null }

interface PayloadMoney {
  readonly minor: string
  readonly currency: string
}

const payloadMoney = ({ currency, minor }: Money): PayloadMoney => ({ minor: minor.toString(), currency })

export const payloadMovements = (movements: ReadonlyArray<Movement>): ReadonlyArray<PayloadMovement> =>
  movements.map(({ amount, ...movement }) => ({ ...movement, amount: amount === null ? null : payloadMoney(amount) }))

const moneyIn = ({ currency, minor }: PayloadMoney): Money | undefined =>
  isAnyCurrencyCode(currency) ? new Money({ currency, minor: BigInt(minor) }) : undefined

const movementsIn = ({ movements = [] }: CallbackPayload): Pick<Report, "movements"> =>
  withMovements(
    movements.map((one) => ({ ...one, amount: one.amount === null ? null : (moneyIn(one.amount) ?? null) }))
  )

const reportIn = (said: CallbackPayload): Report =>
  new Report({
    state: said.state,
    reason: said.state === "failed" ? said.status : null,
    providerPaymentId: said.providerPaymentId,
    providerStatus: said.status,
    ...movementsIn(said)
  })

export const callbackReader =
  (signs: boolean): Provider["callback"] =>
  ({ body, headers }) =>
    Effect.gen(function* () {
      const proof = yield* Proof.from(Check.same("genuine", signs ? headers["x-proof"] : "genuine"), "no proof")
      const all = yield* Effect.try({
        try: () => JSON.parse(body.toString("utf8")) as ReadonlyArray<CallbackPayload>,
        catch: () => new NoProof({ message: "not a callback" })
      })
      const events = all.map((said): CallbackEvent => {
        const attempt = { reference: said.reference, providerPaymentId: said.providerPaymentId }
        return signs
          ? new VerifiedReport({ key: said.key, attempt, report: reportIn(said), proof })
          : new Hint({ attempt })
      })
      return { events }
    })
