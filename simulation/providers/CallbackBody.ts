/** What simulated providers call back with, and how their ports read it. */
import { Effect } from "effect"
import { isAnyCurrencyCode } from "../../src/domain/CryptoAsset.ts"
import { Money } from "../../src/domain/Money.ts"
import { Report } from "../../src/domain/Outcome.ts"
import { type CallbackEvent, Hint, Check, NoProof, Proof, Statement } from "../../src/providers/port/Callback.ts"
import type { Provider } from "../../src/providers/port/Provider.ts"

export interface Said {
  readonly key: string
  readonly reference: string | null
  readonly providerPaymentId: string
  readonly state: Report["state"]
  readonly status: string
  readonly received?: { readonly minor: string; readonly currency: string }
}

const receivedIn = ({ received }: Said) => {
  if (received === undefined || !isAnyCurrencyCode(received.currency)) return {}
  return { received: new Money({ currency: received.currency, minor: BigInt(received.minor) }) }
}

const reportIn = (said: Said): Report =>
  new Report({
    state: said.state,
    reason: said.state === "failed" ? said.status : null,
    providerPaymentId: said.providerPaymentId,
    providerStatus: said.status,
    ...receivedIn(said)
  })

export const callbackReader =
  (signs: boolean): Provider["callback"] =>
  ({ body, headers }) =>
    Effect.gen(function* () {
      const proof = yield* Proof.from(Check.same("genuine", signs ? headers["x-proof"] : "genuine"), "no proof")
      const all = yield* Effect.try({
        try: () => JSON.parse(body.toString("utf8")) as ReadonlyArray<Said>,
        catch: () => new NoProof({ message: "not a callback" })
      })
      const events = all.map((said): CallbackEvent => {
        const attempt = { reference: said.reference, providerPaymentId: said.providerPaymentId }
        return signs ? new Statement({ key: said.key, attempt, report: reportIn(said), proof }) : new Hint({ attempt })
      })
      return { events }
    })
