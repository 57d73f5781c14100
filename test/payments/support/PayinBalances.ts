/** Payins at providers that do what the test says, and where the books have their money, in shillings. */
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { people } from "../../support/TestCredentials.ts"
import { type Actable, actable } from "./ActionCalls.ts"
import { attemptsOf, callBack, initiate } from "./PaymentCalls.ts"
import { allPostings } from "./LedgerMatchesProviders.ts"
import { movableClock, type MovableClock, timePasses } from "./PaymentServices.ts"
import { serveCountry } from "./PaymentServer.ts"
import { byCard } from "./Requests.ts"
import { accepts, type Act } from "./ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")

/** Moves money once for a reference. */
export const honouring = (name: ProviderName): Actable => ({ ...actable(name), honoursReference: true })

export const threeProviders = () => {
  const stripe = honouring("stripe")
  const adyen = honouring("adyen")
  const circle = actable("circle")
  return { stripe, adyen, circle, clock: movableClock(), providers: [stripe, adyen, circle] }
}

/** A payin by card at this provider, and what it calls back about it. */
export const paysIn = (provider: Actable, country: string, act: Act = accepts()) =>
  Effect.gen(function* () {
    yield* serveCountry(country, [provider.name])
    const description = `in ${country}`
    provider.on(description, act)
    const initiated = yield* initiate({ ...byCard(), country, description })
    const [attempt] = yield* attemptsOf(initiated.payment_id)
    const reference = String(attempt?.["attempt_id"])
    const callsBack = (key: string, state: string, amount?: string, currency = "KES") =>
      callBack(provider.name, {
        key: `${country} ${key}`,
        reference,
        state,
        ...(amount === undefined ? {} : { received: { amount, currency } })
      })
    /** All that has arrived so far. */
    const arrives = (amount: string, currency = "KES") =>
      callsBack(`${amount} ${currency}`, "completed", amount, currency)
    return { ...initiated, reference, callsBack, arrives }
  })

/** The attempts of this leg: their ids are the references that the provider is given. */
export const attemptsFor = (paymentId: PaymentId, leg: string) =>
  Effect.map(attemptsOf(paymentId), (all) =>
    all.filter((one) => one["leg"] === leg).map((one) => String(one["attempt_id"]))
  )

/** Asks about what is due so much later. The server's own worker may be faster: then there is nothing left to ask. */
export const later = (clock: MovableClock, seconds: number) =>
  Effect.zipRight(
    timePasses(clock, `${seconds} seconds`),
    Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
  )

const balanceOf = (account: LedgerAccount) =>
  Effect.flatMap(LedgerStore, (ledger) => Effect.map(ledger.balance(account), ({ minor }) => Number(minor) / 100))

/** Below zero is what the provider has. */
export const at = (provider: ProviderName) => balanceOf(LedgerAccount.provider(provider, KES))

export const settlement = Effect.flatMap(people, ({ acme }) => balanceOf(LedgerAccount.settlement(acme.org_id, KES)))

export const clearingOf = (paymentId: PaymentId) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (ledger) => ledger.clearingOf(paymentId)),
    (all) => all.map(({ money }) => money.toString())
  )

/** Gains of each account since, without zeros. */
export const watched = Effect.gen(function* () {
  const { acme } = yield* people
  const ledger = yield* LedgerStore
  const { org_id } = acme
  const accounts = {
    settlement: LedgerAccount.settlement(org_id, KES),
    held: LedgerAccount.held(org_id, KES),
    reserve: LedgerAccount.reserve(org_id, KES),
    stripe: LedgerAccount.provider("stripe", KES),
    adyen: LedgerAccount.provider("adyen", KES),
    fees: LedgerAccount.fees(KES),
    receivable: LedgerAccount.receivable(org_id, KES)
  }
  const all = Effect.gen(function* () {
    const found = yield* ledger.balances(Object.values(accounts))
    const inClearing = (yield* allPostings).filter(
      ({ account, currency }) => account.startsWith("clearing/") && currency === KES
    )
    return [
      ...Object.entries(accounts).map(([name, account]) => [name, found.get(account)!.minor] as const),
      ["clearing", inClearing.reduce((total, { minor }) => total + minor, 0n)] as const
    ]
  })
  const before = new Map(yield* all)
  const gained = Effect.map(all, (now) =>
    Object.fromEntries(
      now.flatMap(([name, minor]) => {
        const more = minor - before.get(name)!
        return more === 0n ? [] : [[name, Number(more) / 100]]
      })
    )
  )
  return { gained, org_id }
})

/** The name that it had. */
export const suspenseOf = clearingOf
